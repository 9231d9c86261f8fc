/** Texts of the Ozzie wire: errors, hints and labels. An identifier before a colon is the name of a parameter. */
export const ozzieErrorTexts = {
	twoSessions:
		"session_id: the request has two different ids, one in params and one outside; give only one of them",
	envelopeHint:
		"use ?envelope=flat for the frames of the protocol document, ?envelope=both for Go clients, or neither",
	longResponse:
		"not available: the response is larger than 32 KiB: ask for less, for example with a smaller limit",
	denied: "The call does not run.",
	approvedOnce: "The call runs once.",
	oneMemory: "memory_id: name the memories to delete with exactly one of memory_id, person and channel",
	requestCode: "request a code with pair, and give it to the operator",
	commandOrTool: "command: give either a command, or a tool and its arguments",
	channel: "channel: name the channel, as PLATFORM:TENANT:CHANNEL",
	noPublicUrl:
		"not available: browsers cannot reach this gateway, because publicUrl is not set; answer with parley answer",
	answerAgain: ({ reason, question }: { readonly reason: string; readonly question: string }) =>
		`Answer again: ${reason}. ${question}`,
	twoInvalidAnswers: ({ reason }: { readonly reason: string }) =>
		`the client sent two answers that are not valid: ${reason}`,
	noSession: "session_id: no session is open on this connection: send open_session first, or give session_id",
	sessionAndKey: ({ session }: { readonly session: string }) =>
		`external_key: session_id ${session} already names a session: give only one of them`,
	oneTime: ({ count }: { readonly count: number }) =>
		`when: ${count} of when, cron, interval_sec, at and event are given: give exactly one`,
	sinceAfterUntil: ({ since, until }: { readonly since: string; readonly until: string }) =>
		`since: must not be after until, but ${since} is after ${until}`,
	cut: ({ missing, place }: { readonly missing: number; readonly place: string }) =>
		` … [${missing} more characters: ${place}]`,
	deny: "Deny",
	approve: "Approve",
	keyReused: ({ key }: { readonly key: string }) =>
		`key "${key}" was used for another request: use another key`,
	placeField: "place {tenant, channel}",
	actorField: "actor {id, name, roles, guest}",
	missing: ({ field }: { readonly field: string }) => `${field} is missing: send both actor and place`,
	stopping: "the gateway is stopping",
	tooSlow: "the client reads too slowly: resume with after_seq",
	binary: "binary messages must contain UTF-8 JSON",
	tokenRevoked: "token revoked",
} as const;

/** Texts in the tables of trust grants and of requests for trust grants. */
export const trustTableTexts = {
	grantColumns: ["ID", "CHANNEL", "STATE", "CALLS", "COVERS", "GRANTED BY", "REASON"],
	requestColumns: ["ID", "CHANNEL", "REQUESTED BY", "LIMITS", "COVERS", "EXPIRES IN", "REASON"],
	howToAnswer:
		"`parley trust approve ID` trusts the channel; `parley trust deny ID` denies the request. Ids may be abbreviated.",
	limits: ({ time, calls }: { readonly time: string; readonly calls: number }) =>
		`${time}, ${calls === 1 ? "1 call" : `${calls} calls`}`,
	ended: ({ time, reason }: { readonly time: string; readonly reason: string }) => `ended ${time}: ${reason}`,
	left: ({ time }: { readonly time: string }) => `${time} left`,
	expired: "expired",
	/**
	 * Shows the coverage of a grant. Without `calls`, the grant covers all calls. Without `people`, the grant covers all
	 * members.
	 */
	coverage: ({
		calls,
		people = "members",
	}: {
		readonly calls: string;
		readonly people: string | undefined;
	}) => `${calls || "all calls"} of ${people}`,
} as const;

/** Texts in the table of the tokens, and texts about a new token. */
export const tokenTableTexts = {
	columns: ["ID", "KIND", "NAME", "SCOPE", "LAST USED", "STATUS"],
	allSessions: "all sessions",
	sessions: ({ count }: { readonly count: number }) => (count === 1 ? "1 session" : `${count} sessions`),
	neverUsed: "never",
	token: ({ kind, name, id }: { readonly kind: string; readonly name: string; readonly id: string }) =>
		`${kind} token ${name} (${id})`,
	doesNotExpire: "does not expire",
	expires: ({ left }: { readonly left: string }) => `expires in ${left}`,
	stored: "It is stored in the data directory, where programs of this machine find it.",
	shownOnce: "It cannot be shown again.",
	howToSend: "Clients send it as `Authorization: Bearer TOKEN`; parley reads it from PARLEY_TOKEN.",
} as const;

/** Texts in the tables of policy rules and decisions. */
export const policyTableTexts = {
	askAlways: "ask always",
	decisionColumns: ["", "LAYER", "EFFECT", "REASON", "SOURCE"],
	ruleColumns: ["LAYER", "EFFECT", "WHEN", "REASON", "SOURCE"],
	everyCall: "every call",
} as const;

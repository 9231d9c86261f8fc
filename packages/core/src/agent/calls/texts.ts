/** Texts about approvals: results for the model, and notes and errors for approvers. */
export const approvalTexts = {
	cannotRun: (reason: string): string =>
		`arguments: the call cannot run (${reason}), so its arguments cannot be changed: send the approval without arguments, or deny the call`,
	changed: "changed since it was approved",
	secretInCall: "[redacted] replaces a secret: the call itself contains the secret",
	requestedBySubAgent: (name: string): string => `requested by the sub-agent ${JSON.stringify(name)}`,
	expired: "no answer: the approval expired, so the call did not run; repeat the call if you still need it",
	alreadyUsed: "not run: the approval was already used; repeat the call to request a new approval",
	changedFacts: (note: string, facts: string): string =>
		`${note}: ${facts}; the call did not run, so repeat it if you still need it`,
	changedPolicy: (note: string): string =>
		`${note}: policy; the call did not run, so repeat it if you still need it`,
	needsDecisions: "every call of this run needs a decision",
	impossible: (reason: string): string => `cannot run, even if it is approved: ${reason}`,
	needsApproval: (reason: string): string => `${reason}; every call of this run needs approval`,
	redacted:
		"[redacted] replaces a secret that was not shown: write the value itself, or approve the call unchanged",
	alwaysSeparate: (reason: string): string =>
		`a call with these arguments always requires a separate approval (${reason}): deny the call instead`,
	repeatedQuestion: "if earlier calls changed the files, you are asked again when those calls have ended",
	denyInstead: "deny the call instead",
	changedSince: (differences: string, next: string): string =>
		`facts of the call changed since the question was asked: ${differences}; ${next}`,
	doesMore: (classes: string): string =>
		`the changed call needs more permissions than the displayed call: ${classes}; change the arguments again, or deny the call`,
	notPossible: (reason: string): string =>
		`the call can no longer run as it was shown (${reason}): deny the call`,
	guestSender:
		"this request may only read, because one of its senders is a guest: ask a member to send the request",
	noAccessSender:
		"this request may only read, because one of its senders no longer has access: ask a member to send the request",
	several: (reason: string, approvals: number): string =>
		`${reason}; the call needs ${approvals} approvals by different people, and only the operator can answer here: the operator can change the policy`,
	changedArguments: (shown: string): string =>
		`the person who approved this changed the arguments to ${shown}`,
	runStopped: "the run was stopped",
} as const;

/** Results, notes and errors of tool calls. */
export const callTexts = {
	noReply: "the model returned no text: change the request, or try again",
	interrupted: (note: string): string =>
		`${note}: the gateway stopped while this call ran; check its effects before you repeat it`,
	unknownFiles: "; the gateway was restarted and cannot name the files",
	filesChanged: (suffix: string): string =>
		`asked again: files changed since the first question, while other calls of this reply ran${suffix}`,
	filesChangedAsk: "files changed: the call is asked again",
	itsFilesChanged: "its files changed",
	adjusted: (changes: string, more: string): string => `[the call was adjusted: ${changes}${more}]`,
	leftOut: (characters: number, lines: number): string =>
		`[… ${characters} characters in ${lines} lines left out …]`,
	shortPassword: (characters: number): string =>
		`the password is shorter than ${characters} characters, so it cannot be redacted from the output of the tool; ask for a longer password`,
	notRun: (place: string, reason: string): string => `not run: ${place}: ${reason}`,
	unknownSecret: (place: string): string =>
		`not run: ${place}: not a handle of a password in this conversation; ask for the password with ask_user (type: password), and use the returned handle`,
	backgroundInTask:
		"background: a task cannot leave a command in the background; run the command in the foreground",
	workspaceFull: (limit: string): string =>
		`\n[the workspace is full: its limit is ${limit}; further writes and commands are refused; the operator can raise the limit]\n`,
	scheduleInSchedule: "a run that a schedule started cannot create schedules: ask a person to create them",
} as const;

/** Texts about shortened outputs and their stored files. */
export const outputTexts = {
	leftOut: (characters: number, lines: number, where: string): string =>
		`[… ${characters} characters in ${lines} lines left out${where} …]`,
	complete: "the complete result",
	firstPart: (size: string): string => `the first ${size} of the output`,
	contains: (name: string, part: string, tool: string): string =>
		`${name} contains ${part}: read it with ${tool}`,
	notStored: "the result of a tool could not be stored",
	restNotStored: (reason: string): string => `The rest could not be stored: ${reason}`,
	moreLeftOut: (bytes: number): string => `\n[… ${bytes} more bytes left out …]\n`,
	bytesLeftOut: (bytes: number): string => `[… ${bytes} bytes left out …]\n`,
} as const;

export const acceptAllTexts = {
	accepted: "all tools of a session are accepted",
	notInChannel: (channel: string): string =>
		`accept_all_tools does not apply to the session of a channel: trust the channel with parley trust grant ${channel} --reason …`,
} as const;

export const promptAnswerTexts = {
	answered: "question answered",
	busy: "session busy: the run of this question is not active at this moment; answer again soon",
	noRule: "cannot add a rule for this call: approve it once, or deny it",
	otherRules: "the rules have changed since this approval was requested: approve the call once, or deny it",
	roleUnreadable: (person: string): string =>
		`the role of ${person}, who approved before, cannot be read at this moment: approve again soon`,
	closed: "this question is closed: it was answered, or it expired",
	promptsNotChecked: "open questions could not be checked",
	promptNotChecked: "an open question could not be checked",
} as const;

/** Errors of shell commands that an operator sends as messages. */
export const ownCommandTexts = {
	otherSession:
		"cannot run the command here: use a session of the operator, not the session of a channel or a task",
	oneLine:
		"cannot run the command: it is empty, or contains a line break or a control character; write one line of text",
	secret:
		"cannot run the command: it contains a secret of the gateway, which would be stored; use a variable or a file",
} as const;

/** Errors of requests to undo the file changes of a turn. */
export const undoRequestTexts = {
	otherSession:
		"cannot undo changes here: use a session of the operator, not the session of a channel or a task",
	busy: "session busy: a run or a task is active; cancel it first, or wait until it ends",
	nothing: "no file changes to undo: this session has no recorded changes, or all of them were undone",
} as const;

/** Reasons for decisions, as `/why` and `parley why` show them, and errors of these commands. */
export const explainTexts = {
	notRecorded: "not recorded: an earlier version of Parley made this decision",
	runEnded: "the run ended first",
	earlierCalls: "earlier calls have not ended",
	allAccepted: "all tools were accepted before the approval was requested",
	expired: "the approval expired",
	endedBeforeAnswer: "the run ended before the answer",
	withChanges: (reason: string): string => `${reason}; with changed arguments`,
	noRun: "this session has no run yet: send a message first",
	imported: (run: string): string =>
		`${run} happened before the session was created: Parley has no record of its work here`,
	unknown: "not recorded",
} as const;

export const feedbackTexts = {
	runNotFound: (run: string): string => `run not found: ${run}; use the id of a run of this session`,
	noReply: "no reply to rate: wait until a run of this session has ended",
	incomplete: "cannot rate the reply: it is not complete; wait until the run ends",
	endedWithoutReply: "no reply to rate: the run ended without a reply; rate another run",
} as const;

/** Log messages and errors about messages that start, join or enter a run. */
export const queueTexts = {
	joined: "queued message entered the run",
	onlyAuthor:
		"only the author of a queued message can add it to the active run: ask the author, or wait until the run ends",
	files: "it has files",
	ownOptions: "it has its own options, such as a skill",
	repetition: "it repeats an earlier message",
	cannotJoin: (reason: string): string =>
		`the queued message cannot join the active run, because ${reason}: wait until the run ends`,
	accepted: "message accepted",
	busy: (count: number): string =>
		`session busy: the message was not queued, because ${count} messages are already waiting; try again later`,
	noSystemPrompt: (person: string): string =>
		`system: ${person} cannot write the system prompt of a run, because only the operator can: leave the option out`,
	pinnedAgent: (agent: string, pinned: string): string =>
		`the agent ${agent} is not allowed in this channel: use ${pinned}, which the operator has set`,
	entered: "message entered the run",
	busyRun: (count: number): string =>
		`session busy: the message was not added to the run, because ${count} messages are already waiting; try again later`,
} as const;

export const retryTexts = {
	none: "there is no message to retry: this session has no run yet; send a message first",
	busy: "session busy: a run is active; cancel it first, or wait until it ends",
	command: "the last message is a command, which is not repeated: type it again",
	undo: "the last message is an undo, which is not repeated: type it again",
	onlyAuthor:
		"the last message never reached the model: only its author can send it again; send a new message instead",
} as const;

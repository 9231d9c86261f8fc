/** Errors about answers to questions. */
export const promptTexts = {
	notFound: "prompt not found",
	elsewhere: "in another channel, you can only approve a call once and unchanged, or deny it",
	onlyOperator:
		"only the operator can approve this call, with parley answer: in a chat, you can only deny it",
	passwordInChat: "a password cannot be typed in a chat: answer as the question describes",
	useButtons: "this approval cannot be answered by typing: use its buttons",
	typingOff: "typed approvals are turned off: use the buttons",
	otherKey:
		"a password cannot be decrypted: it was stored with another key, or its stored form was changed; ask for the password again",
	unencrypted:
		"a password cannot be sent over an unencrypted connection: answer over TLS (wss://), or on the gateway's own machine",
	severalPeople:
		"you requested this call and cannot approve it, because it needs approvals from several other people; you can deny it",
	changed: "this call has changed since it was shown to you: read it again, then approve or deny it",
	approvedAlready: "you have approved this call already, and it needs the approval of another person",
} as const;

export const taskTexts = {
	notFound: (id: string): string => `task not found: ${id}`,
	conversationOf: (id: string): string =>
		`this session belongs to the task ${id}: read the session with load_messages, and control the task with reply_task and cancel_task`,
} as const;

export const workspaceTexts = {
	notRemoved: (count: number, directory: string): string =>
		`${count === 1 ? "1 workspace" : `${count} workspaces`} of deleted sessions in ${directory} could not be removed: remove the directories yourself`,
	ownReasons: "each with its own reason",
} as const;

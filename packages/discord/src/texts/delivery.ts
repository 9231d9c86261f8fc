/** Reasons why a request to Discord failed, for operators. Lists of posts and the log show them. */
export const deliveryTexts = {
	answered: ({
		status,
		message = "no reason given",
		code,
	}: {
		readonly status: number;
		/** Error message from Discord. */
		readonly message: string | undefined;
		/** Error code from Discord. */
		readonly code: number | undefined;
	}) => `Discord answered ${status}: ${message}${code ? ` (${code})` : ""}`,
	noAnswer: ({ method, path }: { readonly method: string; readonly path: string }) =>
		`Discord did not answer ${method} ${path}`,
	tokenRefused: "Discord does not accept the token: restart the connector with a valid DISCORD_TOKEN",
	invalid: ({ problems }: { readonly problems: readonly string[] }) =>
		`cannot send the message, because Discord would refuse it: ${problems.join(", ")}; report this as a bug in Parley`,
	noMessageId: "cannot confirm the post: Discord's response contains no message id",
	noDirectMessages: "cannot open a direct message: Discord's response contains no channel",
	noMessages: "cannot read messages: Discord's response is not a list of messages",
	tooManyMessages: ({ channel }: { readonly channel: string }) =>
		`cannot search channel ${channel} for the post: the channel has too many newer messages`,
	noHistory: ({ channel }: { readonly channel: string }) =>
		`cannot read the messages of channel ${channel}: give the bot "Read Message History" in this channel`,
	mayNotReact:
		'Discord refused a reaction that shows the state of a message: check that the bot has "Add Reactions" and "Read Message History"',
	noMentionThread:
		'cannot answer in a thread, so the answer is in the channel: check that the bot has "Create Public Threads" and "Send Messages in Threads"',
	notRenamed:
		"cannot rename the thread of a conversation: see the reason, and check the permissions of the bot",
	renamedOften:
		"cannot rename the thread yet: Discord allows two changes of a thread's name in ten minutes; the connector waits and tries again",
	noThread: ({ card }: { readonly card: string }) =>
		`the post is waiting for the thread of the card ${card}: this thread does not exist yet`,
	closedThread: ({ reason }: { readonly reason: string }) =>
		`the bot cannot reopen the thread (${reason}): reopen and unlock it, or give the bot "Manage Threads"`,
	privateAnswerExpired:
		"cannot send a private answer: the token of the interaction has expired; ask the person to try again",
} as const;

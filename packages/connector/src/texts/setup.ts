/** Terminal texts for the setup steps that all platforms share. */
export const setupTexts = {
	answer: {
		title: "Write to the bot",
		ok: "the bot has answered",
		fail: "the bot has not answered a message yet",
		fix: "mention the bot in a channel that it has joined; if you have no access, its reply explains how to request access",
	},
};

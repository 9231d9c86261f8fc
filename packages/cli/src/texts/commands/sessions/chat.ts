/** Help of `parley chat`. */
export const chatHelp = {
	description: "chat with the agent; /help lists the commands",
	plain: "print text without redrawing the screen, for screen readers and simple terminals",
} as const;

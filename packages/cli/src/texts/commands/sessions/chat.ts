/** Help of `parley chat`. */
export const chatHelp = {
	description: "chat with the agent; /help lists the commands",
} as const;

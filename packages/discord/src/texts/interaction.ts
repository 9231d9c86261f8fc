/** Private answers to a command or a press that the connector cannot handle, in Markdown of Discord. */
export const interactionTexts = {
	busy: "I am busy. Please try again in a minute.",
	failed: "I could not do that. Please try again in a moment.",
	unreadable: "I could not read your request. Please try again.",
} as const;

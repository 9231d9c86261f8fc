/** Names and descriptions of commands and options that exist only on Discord. */
export const commandTexts = {
	/** Entry in the menu of a message. At most 32 characters. */
	askAboutThis: "Ask about this",
	/** Message to the agent for the entry `askAboutThis`, because a person cannot write a message in the menu. */
	explainMessage: "Explain this message. If it contains a question, answer the question.",
	/** Description of the file option. At most 100 characters. */
	fileOption: "File for the agent",
} as const;

/** Names and descriptions of commands and options that only Discord has. */
export const commandTexts = {
	/** Entry in the menu of a message: at most 32 characters. */
	askAboutThis: "Ask about this",
	/** Message to the agent for this entry, because a person cannot write one there. */
	explainMessage: "Explain this message. If it contains a question, answer the question.",
	/** Description of the option for a file: at most 100 characters. */
	fileOption: "File for the agent",
} as const;

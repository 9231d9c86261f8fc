/** Status line below a thread. */
export const statusTexts = {
	/** Text after the name of the agent, in place of an ended step. */
	working: "is working…",
} as const;

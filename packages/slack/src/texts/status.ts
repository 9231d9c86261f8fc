/** Status line below a thread. */
export const statusTexts = {
	/** Follows the name of the agent, in place of a step that has ended. */
	working: "is working…",
} as const;

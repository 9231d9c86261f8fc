/** Markdown texts about the export of a conversation as a file. */
export const exportTexts = {
	description: "Get this conversation as a file that only you see",
	done: "This conversation as a file:",
	// `command`: a command. Only the person who sends the command sees its answer.
	onlyPrivate: ({ command }: { readonly command: string }): string =>
		`Not exported, because all readers of this channel would see the file. Use \`${command}\` instead.`,
	onlyMembers: "only members can get a conversation as a file: ask the operator for the role member",
	exported: ({ at }: { readonly at: string }): string => `Exported ${at}`,
	leftOut: "*The beginning of the conversation is left out, because the file would be too long.*",
	shortened: ({ count }: { readonly count: number }): string => `[… ${count} characters left out]`,
	/** Author name for messages without a known person. */
	operator: "Operator",
	agent: "Agent",
	call: ({ name }: { readonly name: string }): string => `### Call of ${name}`,
	result: ({ name }: { readonly name: string }): string => `### Result of ${name}`,
	failure: ({ name }: { readonly name: string }): string => `### Failure of ${name}`,
	question: ({ question }: { readonly question: string }): string => `**Question:** ${question}`,
	answered: "**Answered**",
	declined: "**Declined**",
	file: ({ name }: { readonly name: string }): string => `- File: ${name}`,
	ended: ({ reason }: { readonly reason: string }): string => `**Ended:** ${reason}`,
	/** File name without its extension, if the title of the conversation has no letters or digits. */
	fileName: "conversation",
};

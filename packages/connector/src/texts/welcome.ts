/** Markdown texts of the welcome in a channel, for a person, and on the home page of the app. */
export const welcomeTexts = {
	/** Describes the agent's work. `address`: sentence about the ways to address the agent in the room. */
	work: ({ address, help }: { readonly address: string; readonly help: string }): string =>
		`Hello! ${address} I answer questions, work with files and tools, and run tasks in the background. \`${help}\` lists my commands.`,
	address: {
		direct: "Write to me here.",
		mention: "Mention me with your request.",
		always: "I read every message here.",
	},

	// `people`: people and roles that may approve; may be empty.
	approvers: ({ people }: { readonly people: readonly string[] }): string => {
		const all = people.length === 0 ? ["An approver"] : people;
		return `When a change requires approval, I ask first. ${all.join(", ")} or the operator can approve it.`;
	},
	access: ({ pair }: { readonly pair: string }): string =>
		`You need access first. Request it with \`${pair}\`.`,

	prompts: ({ prompts }: { readonly prompts: readonly string[] }): string =>
		`Try: ${prompts.map((prompt) => `“${prompt}”`).join(" · ")}`,
	/** Requests that are suggested if the operator has set none. */
	usual: [
		"Summarise the last messages here",
		"List the files that you can read",
		"Remind me tomorrow at 9:00 to send the report",
	],
	skill: ({ name }: { readonly name: string }): string => `Use the skill ${name}`,
};

/** Texts of questions that are asked as plain lines, without redrawing. */
export const linePromptTexts = {
	option: ({
		place,
		label,
		hint,
	}: {
		readonly place: number;
		readonly label: string;
		readonly hint: string;
	}) => `  ${place}  ${label}${hint === "" ? "" : ` (${hint})`}`,
	number: ({ place }: { readonly place: number }): string => `number, or Enter for ${place} › `,
	notNumber: ({ count }: { readonly count: number }): string => `Type a number from 1 to ${count}.`,
	text: "› ",
	textOr: ({ initial }: { readonly initial: string }): string =>
		`Enter for ${initial}, or - for an empty answer › `,
	secret: "hidden › ",
} as const;

/** Texts of the model test: its messages to the model, and its error. */
export const modelTestTexts = {
	system: "Answer in one word.",
	message: "Say: ok",
	noAnswer: ({ model }: { readonly model: string }): string =>
		`the model ${model} sent no answer; try again, or choose another model`,
} as const;

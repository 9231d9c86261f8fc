export const verdictTexts = {
	invalid: (fault: string): string =>
		`Invalid verdict: ${fault}. Answer with the JSON object alone: {"passed": …, "reason": …}`,
	none: (reason: string): string =>
		`the model sent no valid verdict: ${reason}; try again, or choose another model`,
	noJson: "the reply contains no JSON object",
	fields: "the JSON object must have a boolean `passed` and a text `reason`",
} as const;

export const verdictTexts = {
	invalid: (fault: string): string =>
		`Invalid verdict: ${fault}. Answer with the JSON object alone: {"passed": …, "reason": …}`,
	none: (reason: string): string => `the verdict cannot be read: ${reason}`,
	noJson: "it has no JSON object",
	fields: "use a boolean `passed` and a text `reason`",
} as const;

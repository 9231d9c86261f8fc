export const aiSdkTexts = {
	invalidCounts: "the token counts of a provider are not valid",
	leftOutSettings: "settings that the model does not support are left out",
	continue: "(go on)",
	image: "[an image, which this model cannot see]",
	noOutput: "(no output)",
	imagesOf: (tool: string): string => `Images in the result of ${tool}:`,
	sameId: "two calls with the same id at once",
	incomplete: "the answer ended before it was complete",
	openCall: "a call that has no end",
	damaged: (what: string): string => `the answer was damaged in transit: it contains ${what}`,
} as const;

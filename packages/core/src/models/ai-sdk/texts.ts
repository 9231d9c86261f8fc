export const aiSdkTexts = {
	imagesOf: (tool: string): string => `Images in the result of ${tool}:`,
	sameId: "two calls with the same id at once",
} as const;

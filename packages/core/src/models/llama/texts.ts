export const llamaTexts = {
	countTimedOut: (url: string): string => `${url} returned no count in time`,
	noCount: (url: string): string => `${url} returned no count`,
	tooLarge: (url: string, max: number): string => `${url} returned more than ${max} bytes`,
} as const;

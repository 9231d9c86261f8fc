export const llamaTexts = {
	countTimedOut: (url: string): string => `${url} returned no token count in time`,
	noCount: (url: string): string => `${url} returned no token count`,
	tooLarge: (url: string, max: number): string => `${url} returned more than ${max} bytes for a token count`,
} as const;

export const llamaTexts = {
	countTimedOut: (url: string): string => `${url} returned no token count in time: check the model server`,
	noCount: (url: string): string => `${url} returned no token count: check the model server`,
	tooLarge: (url: string, max: number): string =>
		`${url} returned more than ${max} bytes for a token count: check the model server`,
} as const;

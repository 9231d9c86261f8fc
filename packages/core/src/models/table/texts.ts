/** Errors of models.json. */
export const modelFileTexts = {
	tokens: "a whole number of tokens from 1",
	price: "dollars for a million tokens, from 0",
	maxPrice: "dollars for a million tokens, at most 1000000",
	name: "a name of at most 200 characters",
	prices: "an object with input, output, cache_read, cache_write",
	threshold: "a whole number of tokens from 4000, or null",
	longPrompts: "an object with above and prices, or null",
	model: "an object with an id",
	models: "a list of models",
	file: "an object with models",
	twice: (id: string, place: string): string =>
		`${place}: ${JSON.stringify(id)} occurs twice; remove one of the two entries`,
	maxOutput: (value: number, place: string, contextWindow: number): string =>
		`${value} is not allowed for ${place}; allowed: at most ${contextWindow}, the context window`,
	missing: (place: string, id: string): string =>
		`${place} is missing: add the setting, because ${JSON.stringify(id)} is not a built-in model`,
	needsBoth: (place: string): string => `${place} must have both input and output`,
	theFile: "the file",
	unknownSetting: (key: string, place: string, allowed: string): string =>
		`unknown setting ${JSON.stringify(key)} in ${place}; allowed: ${allowed}`,
	needed: (place: string, allowed: string): string => `${place} is missing; needed: ${allowed}`,
	notAllowed: (value: string, place: string, allowed: string): string =>
		`${value} is not allowed for ${place}; allowed: ${allowed}`,
} as const;

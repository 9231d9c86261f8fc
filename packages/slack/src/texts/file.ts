/** Errors of reading an attached file. The person who attached the file sees them. */
export const fileTexts = {
	noAccess:
		"cannot read the file, because the app may not read files: ask the operator to run `parley slack doctor`",
} as const;

/** Errors of reading an attached file. The person who attached the file sees them. */
export const fileTexts = {
	noAccess:
		"cannot read the file, because the app is not allowed to read files: ask the operator to run `parley slack doctor`",
} as const;

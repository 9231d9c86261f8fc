/** Errors of reading an attached file. The person who attached the file sees them. */
export const fileTexts = {
	noAccess: "cannot read the file: the app may not read files. Ask the operator to run `parley slack doctor`",
} as const;

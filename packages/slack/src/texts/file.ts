/** Error of reading an attached file, which the person who attached it sees. */
export const fileTexts = {
	noAccess: "cannot read the file: the app may not read files. Ask the operator to run `parley slack doctor`",
} as const;

/** Notes below a post about its files, and descriptions of files, in plain text. */
export const postTexts = {
	filesLeftOut: ({ problem }: { readonly problem: string }) => `Files not attached: ${problem}.`,
	mayNotAttach: "File not attached: I may not attach files here. Ask an administrator to allow it.",
	filesRefused: ({ names }: { readonly names: readonly string[] }) =>
		`File not attached: Discord refused ${names.join(", ")}. Ask the operator for ${names.length > 1 ? "them" : "it"}.`,
	/** Object of the sentence in `fileTooLarge`: too large for … */
	thisChannel: "this Discord channel",
	completeText: ({ name }: { readonly name: string }) => `The complete text is in ${name}.`,
	/** Alternative text of a file that contains the text of a post. */
	completeTextFile: ({ name }: { readonly name: string }) => `The complete text: ${name}`,
	/** Alternative text of a file that contains the text of a long message. */
	completeMessageFile: "The complete text of this message",

	tooManyFiles: ({ count, maximum }: { readonly count: number; readonly maximum: number }) =>
		`there are ${count} files, and Discord accepts at most ${maximum} in a message`,
	fileTooLarge: ({
		name,
		bytes,
		maximum,
	}: {
		readonly name: string;
		readonly bytes: number;
		readonly maximum: number;
	}) => `${name} has ${bytes} bytes, and Discord accepts at most ${maximum}`,
	filesTooLarge: ({ bytes, maximum }: { readonly bytes: number; readonly maximum: number }) =>
		`the files together have ${bytes} bytes, and Discord accepts at most ${maximum}`,
	fileNameTooLong: "the name of a file is empty or too long",
	fileDescriptionTooLong: "the description of a file is too long",
} as const;

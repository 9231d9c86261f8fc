interface FileCount {
	/** Number of files that are not attached. */
	readonly count: number;
}

/** Plain texts about files: notes below posts, and alternative texts. */
export const postTexts = {
	filesLeftOut: ({ count, problem }: FileCount & { readonly problem: string }) =>
		`${notAttached(count)}: ${problem}. Ask the operator for ${count > 1 ? "them" : "it"}.`,
	mayNotAttach: ({ count }: FileCount) =>
		`${notAttached(count)}: I have no permission to attach files here. Ask an administrator to give me “Attach Files”.`,
	filesRefused: ({ names }: { readonly names: readonly string[] }) =>
		`${notAttached(names.length)}: Discord refused ${names.join(", ")}. Ask the operator for ${names.length > 1 ? "them" : "it"}.`,
	/** Text that ends a sentence of the connector's function `fileTooLarge`: too large for … */
	thisChannel: "this Discord channel",
	completeText: ({ name }: { readonly name: string }) => `The complete text is in ${name}.`,
	/** Returns the alternative text of a file that contains the text of a post. */
	completeTextFile: ({ name }: { readonly name: string }) => `The complete text: ${name}`,
	/** Alternative text of a file that contains the text of a long message. */
	completeMessageFile: "The complete text of this message",

	tooManyFiles: ({ count, maximum }: { readonly count: number; readonly maximum: number }) =>
		`the post has ${count} files (maximum ${maximum})`,
	fileTooLarge: ({
		name,
		bytes,
		maximum,
	}: {
		readonly name: string;
		readonly bytes: number;
		readonly maximum: number;
	}) => `${name} has ${bytes} bytes (maximum ${maximum})`,
	filesTooLarge: ({ bytes, maximum }: { readonly bytes: number; readonly maximum: number }) =>
		`the files together have ${bytes} bytes, and a request to Discord must be smaller than ${maximum} bytes`,
	fileName: ({ length, maximum }: { readonly length: number; readonly maximum: number }) =>
		`the name of a file has ${length} characters (allowed: 1 to ${maximum})`,
	fileDescription: ({ length, maximum }: { readonly length: number; readonly maximum: number }) =>
		`the description of a file has ${length} characters (maximum ${maximum})`,
} as const;

function notAttached(count: number): string {
	return count === 1 ? "File not attached" : "Files not attached";
}

interface FileCount {
	/** Number of files that the note is about. */
	readonly count: number;
}

/** Plain texts of notes about files below posts, and reasons why files are refused. */
export const postTexts = {
	/** Object of the sentence in `fileTooLarge`: too large for … */
	thisWorkspace: "this workspace",
	fileEmpty: ({ name }: { readonly name: string }) =>
		`File not attached: ${name} is empty, and Slack does not accept empty files.`,
	filesRefused: ({ count, reason }: FileCount & { readonly reason: string }) =>
		`${notAttached(count)}: ${reason}.`,
	/** Reasons for a refusal. */
	mayNotShare: "I have no permission to share files here",
	typeNotAllowed: "files of this type are not allowed here",
	filesDisabled: "this workspace does not allow files",
	onlyImages: "this workspace allows only images",
	storageFull: "this workspace has no storage for more files",
	channelArchived: "the channel is archived",
	/** Explains an unknown refusal. `code` is Slack's error code. */
	refused: ({ code }: { readonly code: string | undefined }) =>
		code === undefined ? "Slack refused the upload" : `Slack refused the upload (${code})`,

	filesInDirectMessages: ({ count }: FileCount) =>
		`The ${count === 1 ? "file is" : "files are"} in your direct messages with me.`,
	filesNotSent: ({ count }: FileCount) =>
		`${notAttached(count)}: I could not send ${count === 1 ? "it" : "them"} to you in a direct message.`,
} as const;

function notAttached(count: number): string {
	return count === 1 ? "File not attached" : "Files not attached";
}

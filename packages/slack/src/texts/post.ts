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
	mayNotShare: "I have no permission to share files here: ask an administrator for this permission",
	typeNotAllowed: "files of this type are not allowed here: ask an administrator to allow them",
	filesDisabled: "this workspace does not allow files: ask an administrator to allow them",
	onlyImages: "this workspace allows only images: ask an administrator to allow other files",
	storageFull: "this workspace has no storage for more files: ask an administrator to free storage",
	channelArchived: "the channel is archived: unarchive it",
	/** Explains an unknown refusal. `code` is Slack's error code. */
	refused: ({ code }: { readonly code: string | undefined }) =>
		`Slack refused the upload${code === undefined ? "" : ` (${code})`}: the operator can find the reason in the log`,

	filesInDirectMessages: ({ count }: FileCount) =>
		`The ${count === 1 ? "file is" : "files are"} in your direct messages with me.`,
	filesNotSent: ({ count }: FileCount) =>
		`${notAttached(count)}: I could not send ${count === 1 ? "it" : "them"} to you in a direct message. Please try again.`,
} as const;

function notAttached(count: number): string {
	return count === 1 ? "File not attached" : "Files not attached";
}

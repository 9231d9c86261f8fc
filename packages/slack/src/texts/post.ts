/** Notes below a post about its files, in plain text. */
export const postTexts = {
	/** Object of the sentence in `fileTooLarge`: too large for … */
	thisWorkspace: "this workspace",
	fileEmpty: ({ name }: { readonly name: string }) =>
		`File not attached: ${name} is empty, and Slack does not accept empty files.`,
	filesRefused: ({ files, reason }: { readonly files: number; readonly reason: string }) =>
		`${files === 1 ? "File" : "Files"} not attached: ${reason}.`,
	/** Reasons for a refusal. */
	mayNotShare: "I have no permission to share files here",
	typeNotAllowed: "files of this type are not allowed here",
	filesDisabled: "this workspace does not allow files",
	onlyImages: "this workspace allows only images",
	storageFull: "this workspace has no storage for more files",
	channelArchived: "the channel is archived",
	/** Reason for an unknown refusal. `code` is Slack's error code. */
	refused: ({ code }: { readonly code: string | undefined }) =>
		code === undefined ? "Slack refused the upload" : `Slack refused the upload (${code})`,

	fileInDirectMessages: "The file is in your direct messages with me.",
	fileNotSent: "File not attached: I could not send it to you in a direct message.",
} as const;

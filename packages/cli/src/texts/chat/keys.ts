/** Texts about completion, history search, and continued sessions in a chat. */
export const keyTexts = {
	noCommand: ({ beginning }: { readonly beginning: string }): string =>
		`no command or skill begins with ${beginning}`,
	noModel: ({ beginning }: { readonly beginning: string }): string => `no model begins with ${beginning}`,
	noFile: ({ beginning }: { readonly beginning: string }): string => `no file matches ${beginning}`,
	enterAgain: "pasted text is not run at once: press Enter to run the command",
	searchPrompt: "search › ",
	noEntry: "no earlier message contains this text",
	searchKeys: "Enter uses it · Ctrl-R finds an older one · Esc leaves the search",
	resumeHint: "`/resume NUMBER` continues a session here, `parley chat --session ID` elsewhere",
	noSuchSession: ({ number }: { readonly number: string }): string =>
		`The last list has no session ${number}. Use a number from /sessions, or the id of a session.`,
	isCurrent: "This session is already open.",
};

/** Texts about completion, history search, and continued sessions in a chat. */
export const keyTexts = {
	noCommand: ({ beginning }: { readonly beginning: string }): string =>
		`no command or skill begins with ${beginning}; /help lists the commands`,
	noModel: ({ beginning }: { readonly beginning: string }): string =>
		`no model begins with ${beginning}; /model lists the models`,
	noFile: ({ beginning }: { readonly beginning: string }): string =>
		`no file matches ${beginning}: use a path in the directory of the session`,
	enterAgain: "pasted text is not run at once: press Enter to run the command",
	searchPrompt: "search › ",
	noEntry: "no earlier message contains this text: search for another text",
	searchKeys: "Enter uses it · Ctrl-R finds an older one · Esc leaves the search",
	resumeHint: "`/resume NUMBER` continues a session here, `parley chat --session ID` elsewhere",
	noSuchSession: ({ number }: { readonly number: string }): string =>
		`Unknown session number ${number}. Use a number from /sessions, or the id of a session.`,
	isCurrent: "This session is already open.",
};

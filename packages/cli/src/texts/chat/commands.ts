/** Help about the commands and keys of the chat, and responses to invalid commands. */
export const slashCommandTexts = {
	new: "starts another session; this one is kept",
	sessions: "lists the latest sessions",
	resume: "continues a session from the list, by its number or id",
	fork: "continues a copy up to message N; -1: without the last message",
	model: "sets the model; without NAME, lists the models",
	steer: "sends a message to the running turn",
	retry: "requests the last reply again",
	usage: "shows the usage of this session",
	diff: "shows the changes of the last turn that changed files",
	undo: "undoes these changes; MODE partly skips files changed since",
	compact: "summarises the session to save tokens",
	open: "shows the last tool call or thinking in full; N: an earlier entry",
	cancel: "stops the running turn, like Ctrl-C",
	quit: "leaves the chat, like Ctrl-D; running work continues",
	help: "shows this help",
	unknown: ({ name }: { readonly name: string }) =>
		`Unknown command /${name}. /help lists the commands. To send the line as a message, put a space before it.`,
	shellLine: "  !COMMAND     runs a command by the rules of the agent, which sees the output",
	noShell:
		"Commands with ! are not run with --plain or TERM=dumb, because pasted text cannot be recognised. To send the line as a message, put a space before it.",
	shellEmpty: "! requires a command: !COMMAND. To send the line as a message, put a space before it.",
	shellOneLine: "A command with ! must be one line. To send the text as a message, put a space before it.",
	enterKey: "  Enter        sends; Alt-Enter, Ctrl-J, or \\ and Enter start a new line",
	tabKey: "  Tab          completes commands after /, models after /model, files after @",
	clipboardKey: "  Ctrl-V       pastes the image or the text in the clipboard",
	detailsKey: "  Ctrl-O       shows all thinking and tool calls in full",
	arrowKeys: "  ↑ ↓          move between lines, then show earlier and later entries",
	searchKey: "  Ctrl-R       searches earlier messages, including those of other sessions",
	interruptKey: "  Ctrl-C       stops the running turn; without a turn, press twice to leave",
	escapeKey: "  Esc          declines a question, but not an approval",
	requiresText: ({ name, argument = "" }: { readonly name: string; readonly argument: string | undefined }) =>
		`/${name} requires text: /${name} ${argument}`,
	noText: ({ name }: { readonly name: string }) =>
		`/${name} does not accept text. To send the line as a message, put a space before it.`,
} as const;

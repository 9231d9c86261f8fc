/** Texts of `parley ask` on stderr. */
export const askTexts = {
	startsAgain: "the reply starts again",
	session: ({ id }: { readonly id: string }) => `session: ${id}`,
	// `before` is the number of messages that the session answers before this message.
	waiting: ({ before }: { readonly before: number }) =>
		`waiting for ${before === 1 ? "one other message" : `${before} other messages`} of this session …`,
	emptyMessage: "the message is empty: write text after `parley ask`, or - to read the message from stdin",
	closedBeforeEnd:
		"the session was closed before the run ended; `parley sessions` shows whether the session still exists",
	outsideRoots: ({ reason, directory }: { readonly reason: string; readonly directory: string }) =>
		`cannot use -y, because the gateway does not allow this directory: ${reason}; change to an allowed directory, start the gateway with --root ${directory}, or omit -y`,
	unreadableFile: ({ path }: { readonly path: string }) =>
		`cannot read the file ${path}: check its path and its permissions`,
	noFile: ({ path }: { readonly path: string }) =>
		`cannot attach ${path}, because it is a directory or a special file: use the path of a regular file`,
	notUploaded: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`cannot upload ${path}: ${reason}`,
	noInput: ({ seconds }: { readonly seconds: number }) =>
		`parley: no text arrived on stdin within ${seconds} s: continuing without text; if the input is slow, write it to a file and use \`< FILE\``,
	closed: ({ question, reason }: { readonly question: string; readonly reason: string }) =>
		`${question} This question is closed: ${reason}`,
	needsTerminal: "this call always requires approval: use a terminal, or `parley chat`",
	noTerminalForCall: "no person can answer here; -y approves tool calls in advance",
	denied: ({ question, reason }: { readonly question: string; readonly reason: string }) =>
		`parley: denied: ${question} (${reason})`,
	notAnswered: ({ question }: { readonly question: string }) =>
		`parley: not answered: ${question} (no person can answer here; use \`parley chat\`)`,
	clientWithoutTerminal: "the client cannot ask a person",
} as const;

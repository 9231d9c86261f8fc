export const sessionsHelp = {
	notes: `
QUERY finds sessions whose title or messages contain all words, in upper or
lower case. You can abbreviate an ID to a unique beginning with at least 4
characters after the prefix.

Examples:
  parley sessions invoice march
  parley sessions show sess_4k2x
  parley sessions export sess_4k2x --output talk.md
  parley sessions fork sess_4k2x --at 3
  parley sessions compact sess_4k2x
  parley sessions commands sess_4k2x
  parley sessions stop-command sess_4k2x 1
  parley sessions delete sess_4k2x sess_9fd0
`,
	description:
		"list sessions, newest first; show, export, fork, rename, summarise and delete them; list and stop their commands",
	query: "words to search for",
	list: "the same as `parley sessions` without words",
	search: "search for words, also if the first word is the name of a subcommand",
	show: "print the details and the transcript of a session",
	id: "id of the session",
	export: "export a session as Markdown, or all its events as JSON",
	format: "md (default) or json",
	output: "output file, which only you can read (default: stdout)",
	rename: 'set the title of a session; "" lets a model choose one after the next turn',
	title: "the title",
	fork: "start a session with the messages of another session, without its approvals and waiting work",
	at: "number of your last message in the fork, as `parley sessions show` prints it; -1 leaves out your last message (default: all answered messages)",
	forkTitle: 'title of the fork (default: the title of the session with "(fork)")',
	compact: "summarise an idle session to save tokens, and wait until it is done",
	commands: "list the commands that a session runs in the background, and those that ended",
	stopCommand: "stop a command that a session runs in the background",
	commandNumber: "number of the command, as `parley sessions commands` prints it",
	delete: "delete sessions with their data; files that tools wrote are kept",
	ids: "ids of the sessions",
	force: "stop running and waiting work first",
} as const;

export const sessionsMessages = {
	noSessions: "No sessions. Start one with `parley chat`.",
	noMatches: "No session contains all these words.",
	moreSessions: ({ limit }: { readonly limit: number }) =>
		`more than ${limit} sessions may exist; --limit shows up to 1000`,
	noCommands: "No commands in the background.",
	forked: ({ id, title, at }: { readonly id: string; readonly title: string; readonly at: number }) =>
		`forked up to message ${at}: ${id}${title === "" ? "" : `  ${title}`}`,
	continueFork: ({ id }: { readonly id: string }) => `Continue it with \`parley chat --session ${id}\`.`,
	invalidNumber: "Use the number of a command, for example 1.",
	invalidPlace: "Use the number of a message, for example 3, or -1 to leave out the last message.",
} as const;

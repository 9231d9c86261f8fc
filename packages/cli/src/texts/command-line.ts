/** Errors of the command line, and options that several commands share. */
export const commandLineTexts = {
	shortId: ({ id, least }: { readonly id: string; readonly least: number }) =>
		`${id} is too short for an id: use at least ${least} characters after the prefix`,
	cancelling: "cancelling; press Ctrl-C again to exit immediately",
	noDirectory: ({ code }: { readonly code: string | undefined }) =>
		`the current directory does not exist, or you may not access it${code === undefined ? "" : ` (${code})`}; change to another directory and try again`,
	invalidLimit: "Use a whole number from 1 to 1000.",
	invalidNumber: "Use a number of 0 or more, such as 2 or 0.5.",
	session: "continue this session (see parley sessions)",
	continue: "continue the last session of this directory",
	profile: "agent profile of a new session (see parley agents)",
	model: "model (see parley models)",
	// Follows the name of an unknown command.
	didYouMean: ({ name }: { readonly name: string }) => `; did you mean ${name}?`,
	allowed: ({ names }: { readonly names: readonly string[] }) => `allowed: ${names.join(", ")}`,
	usage: ({ command, usage }: { readonly command: string; readonly usage: string }) =>
		`usage: ${command} ${usage}`,
	noConfirmation: "Cannot ask for confirmation without a terminal. Use `-y` to confirm.",
	unusedFlag: ({
		command,
		flag,
		usage,
	}: {
		readonly command: string;
		readonly flag: string;
		readonly usage: string;
	}) => `${command} does not use --${flag}\nusage: ${command} ${usage}`,
	subcommandName: ({
		word,
		command,
		parent,
		words,
	}: {
		readonly word: string;
		readonly command: string;
		readonly parent: string;
		readonly words: string;
	}) =>
		`unknown command '${word}'; did you mean ${command}?\nto search for the word: ${parent} search ${words}`,
} as const;

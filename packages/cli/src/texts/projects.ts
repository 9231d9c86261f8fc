/** Texts of `parley` in a directory: the question about the directory, and the start of a gateway. */
export const projectTexts = {
	allow: ({ directory }: { readonly directory: string }): string =>
		`May agents work in ${directory}? They read files there without approval. Changes and commands require your approval.`,
	yes: "Yes, work here",
	no: "No, not in this directory",
	home: ({ directory }: { readonly directory: string }): string =>
		`${directory} is your home directory. Agents could read your keys, your mail and the settings of other programs, and could change them with your approval.`,
	aboveHome: ({ directory }: { readonly directory: string }): string =>
		`${directory} contains your home directory. Agents could read keys, mail and settings of all users, as far as your user can read them.`,
	everything: "/ contains all files of this machine. Agents could read everything that this user can read.",
	confirmBroad: "A project directory is safer. Type yes to work here anyway, or no to leave.",
	/** `words` are the directory and flags, as words of a shell. */
	broad: ({ warning, words }: { readonly warning: string; readonly words: string }): string =>
		`${warning} Choose the directory of a project, or allow this directory with: parley projects allow -y ${words}`,
	answerYesOrNo: "type yes or no",
	refused: ({ directory }: { readonly directory: string }): string =>
		`Agents may not work in ${directory}. To allow it: parley projects allow`,
	inData: ({ directory, data }: { readonly directory: string; readonly data: string }): string =>
		`agents cannot work in ${directory}, because it is in the data directory ${data}: change to the directory of a project`,
	starting: "starting the gateway …",
	started: ({ address, log }: { readonly address: string; readonly log: string }): string =>
		`The gateway runs in the background at ${address}. \`parley stop\` stops it. Log: ${log}`,
	offline: "The built-in offline model answers. `parley setup` connects another model.",
	failed: ({ log, lines }: { readonly log: string; readonly lines: string }): string =>
		`the gateway did not start. Correct the problem in the last lines of ${log}, and try again:\n${lines}`,
	late: ({ seconds, log }: { readonly seconds: number; readonly log: string }): string =>
		`the gateway did not answer within ${seconds} seconds: read ${log}, and try again`,
} as const;

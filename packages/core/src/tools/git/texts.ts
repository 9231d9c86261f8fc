export const gitTexts = {
	description:
		"Runs one git command in a repository within the roots. Use it to look at a repository and to change it. " +
		"Reading (status, diff, log, show, blame, branch --list) runs without approval. All other commands (add, commit, " +
		"switch and others) require approval. Git gets no input: give messages with -m. Not for several commands at once " +
		"or for pipes (run_command), and not for searching files (search_files).",
	words: 'The words after git, one each: ["log", "--oneline", "-5"]. No shell reads them.',
	directory: "The directory to run it in, within the roots.",
	effects: "the effects of the command",
	changed: (changes: string): string =>
		`changed since it was approved: ${changes}; the call did not run, so repeat it if you still need it`,
	outside: (directory: string): string =>
		`git runs within the roots, not in ${JSON.stringify(directory)}: if that is intended, use run_command`,
	noCommand: (word: string): string =>
		`${JSON.stringify(word)} is not a git command: write the command first, without options such as -C or -c before it`,
	noNetwork:
		"this git command needs the network, and the sandbox of this session has no network: ask a person to run the command",
	leftOut: "[… the rest was left out: request less, for example with a path or a smaller range …]",
	secretContent: "[its content may contain keys or passwords and is left out]",
} as const;

/** Descriptions of the effects of git commands, as reasons for an approval. */
export const gitEffectTexts = {
	discardsChanges: "discards changes that are not committed",
	deletesUntracked: "deletes files that are not tracked",
	losesCommitsOfBranch: "may lose the commits of a branch",
	deletesStash: "deletes stashed changes",
	forgetsCommits: "deletes entries of the reflog, which can restore lost commits",
	rewritesHistory: "rewrites the complete history",
	deletesCommits: "deletes commits that no branch contains",
	losesCommitsOrChanges: "may lose commits or changes",
	outsideRepository: (path: string): string => `${JSON.stringify(path)} is outside the repository`,
	namesSecret: (path: string): string => `names ${path}, which may contain keys or passwords`,
	printsSecret: (path: string): string => `prints ${path}, which may be a file of keys or passwords`,
	runsPrograms: (programs: readonly string[]): string =>
		`runs programs that the repository names: ${programs.join(", ")}`,
	outsideRoots: (path: string): string => `names ${path}, outside the roots`,
	changesLater: "changes the effects of later git commands",
	controlsLater: (path: string): string => `may change ${path}, which controls later commands`,
	ownFiles: "the working tree contains the gateway's own files",
	followsSettings: (settings: readonly string[]): string =>
		`would use settings of the repository outside the sandbox: ${settings.join(", ")}`,
	namesPrograms: "may name programs that would run outside of the sandbox",
} as const;

export const repositoryTexts = {
	unreadableName: "the name of its directory is not plain text",
	none: (directory: string, reason: string): string =>
		`no git repository for ${JSON.stringify(directory)} within the roots: ${reason}; use a directory of a repository`,
	unreachable: "cannot reach the repository",
	partOutside: (path: string | undefined): string =>
		`a part of the repository is outside the roots, at ${JSON.stringify(path)}: if that is intended, use run_command`,
	settingsUnreadable:
		"the settings of the repository cannot be read or are too long: correct the file .git/config",
	settingStays: (name: string): string =>
		`the repository's setting ${JSON.stringify(name)} cannot be switched off: remove it, or use run_command`,
	hooksUnreadable: "cannot read the repository's hooks",
} as const;

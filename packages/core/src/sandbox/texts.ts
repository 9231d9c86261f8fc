/** Reasons why commands have no sandbox, and log messages about the sandbox. */
export const sandboxTexts = {
	failedToStart: "the sandbox of a command failed to start; it is checked again before the next command",
	none: "the sandbox is unavailable: the operator can find the reason with `parley doctor`",
	onlyLinux: "bubblewrap runs only on Linux",
	noFilter: (cpu: string): string => `there is no system call filter for the processor ${cpu}`,
	noStat: "stat(1) is not installed",
	installCoreutils: "install coreutils",
	unusable: "the sandbox cannot be used",
	resultNotStored: "the result of the sandbox check cannot be stored; the next process checks again",
	resultNotRemoved: "the stored result of the sandbox check cannot be removed; delete the file",
	operatorFix: (fix: string): string => `; the operator can fix that: ${fix}`,
	operatorCheck: "; the operator can check the sandbox with `parley doctor`",
	required: (reason: string, help: string): string =>
		`commands of this session require a sandbox, and it is unavailable: ${reason}${help}`,
	rootTooWide: (path: string): string =>
		`a sandbox with the root ${path} would protect nothing: the operator must choose a narrower root`,
	ready: "commands run in a sandbox that passed its test",
	noneForCommands: "there is no sandbox for commands",
	escapes: (ways: readonly string[]): string => `a command can escape from the sandbox: ${ways.join(", ")}`,
	untested: (part: string | undefined): string =>
		`the sandbox could not be tested: the probe ${part} printed no result`,
} as const;

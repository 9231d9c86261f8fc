export const commandTexts = {
	leftOut: (bytes: number): string => `[… ${bytes} bytes left out …]`,
	noProgram: (name: string): string =>
		`there is no executable program ${JSON.stringify(name)}: install it, or correct its name`,
	readsNoInput: "the program no longer reads its input: start it again",
	unknownReason: "unknown reason; try again",
	missing: "the program or the directory does not exist; correct the path",
	cannotStart: (program: string, directory: string, reason: string): string =>
		`cannot start ${JSON.stringify(program)} in ${JSON.stringify(directory)}: ${reason}`,
	cannotRunIn: (directory: string): string => `cannot run a command in ${JSON.stringify(directory)}`,
	workingDirectory: "working directory",
} as const;

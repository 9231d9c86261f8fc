/** Notes about a project file that the system prompt does not contain completely. */
export const projectNoteTexts = {
	outside: "it leads outside the directories that tools may access",
	unreadable: (code: string): string => `it could not be read (${code})`,
	notRegular: "it is not a regular file",
	leftOut: (bytes: number, file: string): string => `[${bytes} more bytes of ${file} were left out]`,
	notUsed: (file: string, reason: string): string => `(${file} is not used: ${reason}.)`,
} as const;

/** Facts in the system prompt, and errors about the system prompt. */
export const systemPromptTexts = {
	moreSkills: (count: number): string => `- and ${count} more, which only a person can start by name`,
	unknownBranch: "a repository; its branch is unknown",
	noRepository: "no repository in these directories",
	noNotes: "(There are none.)",
	unknownPlaceholders: (unknown: readonly string[], known: readonly string[]): string =>
		`unknown ${unknown.length === 1 ? "placeholder" : "placeholders"} in the system prompt: ${unknown.join(", ")}; allowed: ${known.join(", ")}`,
} as const;

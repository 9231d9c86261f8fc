/** Errors about the frontmatter of a skill file. */
export const frontmatterTexts = {
	notClosed: (line: number, mark: string): string =>
		`line ${line}: the frontmatter has no end: add a line with ${mark} after its last entry`,
	tooLarge: (kibibytes: number): string =>
		`the frontmatter is larger than ${kibibytes} KiB: move text below the frontmatter`,
	tooNested: (levels: number): string =>
		`the frontmatter has more than ${levels} nested levels: use fewer levels`,
	tooManyTokens: (tokens: number): string =>
		`the frontmatter has more than ${tokens} YAML tokens, such as keys, values and line ends: remove entries`,
	twice: (key: string): string => `the key ${key} is given twice: remove one of them`,
	alias: "an alias (*name) is not allowed in the frontmatter: repeat the value",
	atLine: (line: number, problem: string): string => `line ${line}: ${problem}`,
} as const;

const nameRule = "at most 64 letters, digits, dots, hyphens and underscores";
const textList = "one string or a list of at most 50 strings, each of 1 to 10000 characters";

/** Allowed values for the keys of a skill file. */
export const skillValueTexts = {
	flag: "true or false",
	tools:
		"a list of tool names (at most 200), or one string of tool names separated by spaces or commas; [] for no tools",
	stepId: `an id of ${nameRule}`,
	title: (max: number): string => `a title of 1 to ${max} characters`,
	prompt: (max: number): string => `a string of 1 to ${max} characters`,
	model: "the name of a model, or a tier",
	needs: "a list of step ids",
	criteria: textList,
	step: "the keys id and prompt",
	name: "a name",
	nameRule,
	text: "a string",
	steps: "a list of steps",
	oneStep: "a list with at least one step",
	maxSteps: (max: number): string => `at most ${max} steps`,
	facts: "keys and values",
} as const;

export const skillFileTexts = {
	notAllowed: (key: string, allowed: string): string => `${key || "frontmatter"}: use ${allowed}`,
	name: (name: string): string => `name ${name}: use ${nameRule}`,
	twice: (key: string): string => `${key} is given twice, in different spellings: remove one of them`,
	unknownKey: (key: string, suggestion: string): string => `unknown key ${key}; did you mean ${suggestion}?`,
	sameStepId: (id: string): string => `two steps have the id ${id}: give each step its own id`,
	unknownNeed: (step: string, need: string, others: readonly string[]): string =>
		`the step ${step} needs ${need}, which is not a step: ${others.length === 0 ? "remove it" : `use one of: ${others.join(", ")}`}`,
	cycle: (steps: string): string =>
		`the steps ${steps} need each other in a circle: remove an id from the needs of one of them`,
} as const;

/** Refusals to start an existing skill, and errors about unknown skills. */
export const skillRefusalTexts = {
	// A Kontekst server uses the same text.
	onlyUser: (name: string): string => `skill '${name}' can only be invoked by user with /${name}`,
	changed: "has changed since it was trusted",
	untrusted: "is not trusted",
	needsTrust: (name: string, reason: string, directory: string): string =>
		`the skill ${name} ${reason}. The operator can review and trust the skill with: parley skills trust ${directory}`,
	brokenFile: "its file has an error; the operator can see the error with parley skills",
	unusable: (name: string, reason: string): string => `the skill ${name} cannot be used: ${reason}`,
	none: "no skill is available; the operator can add skills",
	available: (names: readonly string[]): string => `available: ${names.join(", ")}`,
	notFound: (name: string, known: string): string => `skill not found: ${name}; ${known}`,
	onlyAgent: (name: string): string =>
		`only the agent can start the skill ${name}: its file sets user_invocable to false. Describe the task instead.`,
	changedSinceMessage: (name: string): string =>
		`the skill ${name} has changed since this message: send the message again`,
} as const;

/** Errors about the files and the directory of a skill. */
export const skillReadTexts = {
	hidden: (path: string, name: string): string =>
		`hidden: ${path} also has the name ${name}: rename one of the skills`,
	tooManyEntries: (max: number): string => `it has more than ${max} entries: remove some entries`,
	unreadableDirectory: "cannot read the directory",
	unreadableFile: "cannot read the file",
	changed: "the file changed while it was read; try again",
	skillTooLarge: (files: number, mebibytes: number): string =>
		`the skill has more than ${files} files or ${mebibytes} MiB: remove some files`,
	tooDeep: (levels: number): string =>
		`the skill has more than ${levels} levels of directories: use fewer levels`,
	notRegular: (name: string): string =>
		`${name} is a link or not a regular file: replace it with a regular file`,
	tooManyFiles: (max: number): string => `the skill has more than ${max} files: remove some files`,
	directoryTooLarge: (files: number, mebibytes: number): string =>
		`the skills of this directory together have more than ${files} files or ${mebibytes} MiB: remove some files`,
	link: (path: string): string =>
		`${path} is a link: links are not allowed for skills of a working directory; replace the link with a copy`,
	linkOutside: (directory: string): string =>
		`it is a link to a path outside ${directory}: replace the link with a copy`,
	fileTooLarge: (kibibytes: number): string => `the file is larger than ${kibibytes} KiB: shorten it`,
	notText: "the file is not UTF-8 text: save it as UTF-8",
	logged: "a skill file cannot be used",
} as const;

export const skillTrustTexts = {
	noSkills: (directory: string): string =>
		`no usable skills in ${directory}: put skills in .parley/skills or .claude/skills, or run \`parley skills --dir ${directory}\` to see the skills with errors`,
	changed: (directory: string): string =>
		`the skills of ${directory} have changed since they were listed: list them again`,
	notAbsolute: (path: string): string =>
		`directory: ${path} is not an absolute path: use a path that begins with /`,
	missingDirectory: (path: string): string => `directory: ${path} does not exist: use an existing directory`,
	cannotUse: (path: string, reason: string): string => `directory: ${path} cannot be used: ${reason}`,
	noDirectory: (path: string): string => `directory: ${path} is not a directory: use the path of a directory`,
	changedMeanwhile: (skill: string): string =>
		`the files of the skill ${skill} changed while they were read: try again`,
	diffCut: (characters: number): string =>
		`[the diff has ${characters} more characters: compare the files themselves]`,
	removed: (file: string): string => `the file ${file} was removed`,
	notShown: (file: string, isNew: boolean): string =>
		`the file ${file} ${isNew ? "is new" : "changed"}; it is not text, or too large to be shown`,
	notStored: (file: string): string =>
		`the earlier text of ${file} was not stored; this is the complete text`,
	contentNew: "a skill of the data directory is new",
	contentChanged: "a skill of the data directory has changed",
	exposed: (news: string): string => `${news}, and commands run without a sandbox: review the skill`,
} as const;

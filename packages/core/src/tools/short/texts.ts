export const editTexts = {
	description:
		"Replaces several texts in a file, all of them or none. Read the file first, then give each text exactly as " +
		"in the file, with enough lines around it that it occurs once. The texts may not overlap; their order does " +
		"not matter. Line ends are kept. Accepts files up to 256 KiB. For new files, use write.",
	path: "The file, relative to the working directory or absolute. ~ is not expanded.",
	oldText: "The text to replace, exactly as in the file. It must occur once.",
	newText: "The new text; empty to delete the old text.",
	edits: "The replacements. All old texts are found in the file as it is before the first change.",
	textMissing: "perhaps the file does not contain the texts",
	oldTextEmpty: (number: number): string => `edit ${number}: oldText is empty: give the text to replace`,
	sameText: (number: number): string =>
		`edit ${number}: oldText equals newText: change newText, or leave the edit out`,
	secretRest: (parts: string): string => `(the rest of the file is kept secret)\n${parts}`,
	unchanged: "(the file would not change)",
	tooLong: (path: string, max: number): string =>
		`${path} would become longer than the maximum of ${max} characters: use shorter texts`,
	overlap: (one: number, other: number): string =>
		`edits ${one} and ${other} overlap; merge them into one edit`,
	notFound: (number: number, path: string, nearest: string): string =>
		`edit ${number}: oldText not found in ${path}${nearest === "" ? ": read the file again" : nearest}`,
	ambiguous: ({
		number,
		count,
		path,
		where,
	}: {
		readonly number: number;
		readonly count: number;
		readonly path: string;
		readonly where: string;
	}): string => `edit ${number}: oldText matches ${count} times in ${path}${where}; add lines around it`,
} as const;

/** Descriptions of the tools of the zot protocol, with their parameters. */
export const shortToolTexts = {
	bash:
		"Runs a command line in the working directory; returns its output and its exit code if that is not 0. Each " +
		"call starts a new shell without input: directories and variables are not kept, programs get no input, and " +
		"background processes end with the call. The middle of long output is left out. Commands may run in a sandbox " +
		"without network, or with access only to the hosts that the operator allows. If a command fails for this " +
		"reason, name the command that must run elsewhere, and do not try to bypass the sandbox.",
	command: "The command line, for the shell (bash if it is installed).",
	timeout: "Seconds after which it is ended.",
	read:
		"Reads lines of a text file; an image (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Look at a file " +
		"before you change it. Returns at most 2,000 lines and 30,000 characters; a marker at the end says how to continue. " +
		"If the result of another call was shortened, the marker in it names a file with the complete result: read it with this tool. " +
		"Directories and all other binary files cannot be read.",
	write:
		"Creates a text file with its missing directories, or replaces the complete content of a file. Give the " +
		"complete content, up to 256 KiB. To change parts of an existing file, use edit.",
} as const;

/** Texts about paths that several file tools use. */
export const pathTexts = {
	file: "The file, relative to the working directory or absolute. ~ is not expanded.",
	directory: "The directory, relative to the working directory or absolute. ~ is not expanded.",
	glob: "Pattern of the files, such as *.ts (names at any depth) or src/**/*.{ts,md} (relative to path).",
	otherFile: "changed since it was approved: the path leads to another file; repeat the call",
	otherDirectory: "changed since it was approved: the path leads to another directory; repeat the call",
	outside: (roots: readonly string[]): string => `outside of ${roots.join(", ")}`,
	secret: "may contain keys or passwords",
	changed: (changes: string): string =>
		`changed since it was approved: ${changes}; the file was not written, so repeat the call`,
	cannotWrite: (path: string): string => `cannot write ${JSON.stringify(path)}`,
	link: (text: string, path: string): string =>
		`${JSON.stringify(text)} leads outside the roots by a symbolic link: use the path ${JSON.stringify(path)} if this is intended`,
	leadsElsewhere: "the path leads to another file",
	otherContent: "the file has other content now",
	controlsCommands: "can change what later commands do",
	hasInstructions: "has instructions for all later work in its directory",
} as const;

export const readFileTexts = {
	description:
		"Reads a text file, or a part of it; an image (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Use it to " +
		"look at a file whose path you know; read a file before you change it. Returns at most 2,000 lines and 30,000 " +
		"characters; a marker at the end says how to continue. If a result of another call was shortened, the marker in it " +
		"names a file with the complete result: read it with this tool. Not for directories (list_files), for finding text " +
		"in many files (search_files), or for other binary files.",
	path: "The file, relative to the working directory or absolute, or the name of a kept result (output_…). ~ is not expanded.",
	offset: "The first line to read, counted from 1.",
	column:
		"The first character of that line, counted from 1. Use it only to continue inside a very long line.",
	limit: "Maximum number of lines to read.",
	completeResult: "the complete result of an earlier tool call",
	imageWithRange: (text: string): string =>
		`${text}\n[offset and limit apply only to text: the complete image is shown]`,
	binaryRefused: (description: string): string =>
		`${description}; only text and images (PNG, JPEG, GIF, WebP) can be read. Use a command`,
	binary: (path: string, bytes: number): string =>
		`${JSON.stringify(path)} is a binary file of ${bytes} bytes`,
	empty: "(empty file)",
	noLine: (path: string, lines: number, line: number): string =>
		`${JSON.stringify(path)} has no line ${line}: its last line is ${lines}; use a smaller offset`,
	moreLines: (text: string, line: number): string =>
		`${text}[… more lines follow: continue with offset ${line} …]`,
	lineContinues: (text: string, line: number, column: number): string =>
		`${text}\n[… line ${line} continues: continue with offset ${line} and column ${column} …]`,
	image: (path: string, type: string): string => `${JSON.stringify(path)} is a ${type} image`,
	smallerCopy: "read a smaller copy",
	imageTooLarge: (description: string, bytes: number, smaller: string): string =>
		`${description} of more than ${bytes} bytes, and only smaller images can be shown: ${smaller}`,
	imageDamaged: (description: string): string =>
		`${description} that is damaged, because its header has no width and height: read another copy`,
	imageTooWide: ({
		image,
		width,
		height,
		side,
		smaller,
	}: {
		readonly image: string;
		readonly width: number;
		readonly height: number;
		readonly side: number;
		readonly smaller: string;
	}): string =>
		`${image} of ${width} x ${height} pixels, and only images of at most ${side} pixels a side can be shown: ${smaller}`,
} as const;

export const editFileTexts = {
	description:
		"Replaces a text in a file. Use it to change a part of a file. Read the file first, then give the text " +
		"exactly as in the file, with enough lines around it that it occurs once. Or set occurrence or replace_all. " +
		"Line ends are kept. Accepts files up to 256 KiB. Not for new files, and not to rewrite most of a file " +
		"(write_file).",
	oldText: "The text to replace, exactly as in the file, with its white space.",
	newText: "The new text; empty to delete the old text.",
	occurrence: "The occurrence to replace, counted from 1, if the text occurs several times.",
	replaceAll: "Whether to replace all occurrences.",
	textMissing: "perhaps the file does not contain the text",
	sameText: "old_text and new_text are the same, so the file would not change: change new_text",
	exclusive: "occurrence and replace_all exclude each other: set only one of them",
	secretRest: (part: string): string => `(the rest of the file is kept secret)\n${part}`,
	unchanged: "(the file would not change)",
	tooLong: (path: string, max: number): string =>
		`${JSON.stringify(path)} would become longer than the maximum of ${max} characters: use a shorter text`,
	notFound: (path: string, nearest: string): string =>
		`old_text is not in ${JSON.stringify(path)}${nearest === "" ? ": read the file again" : nearest}`,
	noOccurrence: (count: number, where: string, occurrence: number): string =>
		`old_text occurs ${count === 1 ? "once" : `${count} times`}${where}: there is no occurrence ${occurrence}; use ${count === 1 ? "1" : `a number from 1 to ${count}`}`,
	ambiguous: (count: number, where: string): string =>
		`old_text occurs ${count} times${where}: add lines around it, or set occurrence or replace_all`,
	cannotEdit: (path: string, reason: string): string => `cannot edit ${JSON.stringify(path)}: ${reason}`,
	missing: (tool: string): string => `the file does not exist; use ${tool} to create it`,
	tooLarge: (bytes: number, max: number): string =>
		`it has ${bytes} bytes, and at most ${max} can be edited: change it with a command`,
	binary: "it is a binary file: change it with a command",
	notText: "it is not UTF-8 text: change it with a command",
	emptyFile: ", which is empty: write its complete content",
	noSimilarLine: ", and the file has no similar line: read the file again",
	nearest: ({
		difference,
		first,
		last,
		excerpt,
		rest,
	}: {
		readonly difference: string;
		readonly first: number;
		readonly last: number;
		readonly excerpt: string;
		readonly rest: string;
	}): string =>
		`; ${difference}. The most similar ${first === last ? `line is ${first}; use its` : `lines are ${first} to ${last}; use their`} exact text:\n${excerpt}${rest}`,
	onePlace: "one place",
} as const;

/**
 * Descriptions of the differences between the requested lines and the nearest lines, for errors of `edit_file` and
 * `edit`.
 */
export const nearestTexts = {
	endOfFile: (line: number): string => `the file ends with line ${line}`,
	otherSurroundings: "the lines occur, but the text before or after them differs",
	indent: (found: string, requested: string): string => `is indented with ${found}, not with ${requested}`,
	lineEnd: (found: string, requested: string): string => `ends with ${found}, not with ${requested}`,
	lookAlike: "has different white space or look-alike characters: it ",
	carriageReturn: "carriage return",
} as const;

export const writeFileTexts = {
	description:
		"Writes a text file: creates it with its missing directories, or replaces the complete content of an existing " +
		"file. Use it for new files and to change most of a file, instead of a command that redirects into a file: " +
		"approvers see the difference. Read the file first, and write all of it. Accepts up to 256 KiB. Not for " +
		"changing a part of a file (edit_file), for binary files, or for appending to a log.",
	content: "The complete new content of the file, at most 256 KiB.",
	tooLarge: (bytes: number, max: number): string =>
		`the content has ${bytes} bytes, and at most ${max} can be written at once: write several smaller files, or append the parts with a command`,
	creates: "creates a new file",
	replaces: (bytes: number): string => `replaces a file of ${bytes} bytes`,
	newFile: "a new file",
	wrote: (bytes: number, path: string, effect: string): string =>
		`wrote ${bytes} bytes to ${path} (${effect})`,
	noDirectory: (path: string): string =>
		`cannot write ${JSON.stringify(path)}: its directory does not exist and is outside the roots; use a path inside the roots, or create the directory first`,
	secretContent: "(the old content is kept secret)",
	tooLong: "too long to show",
	oldContent: (bytes: number, reason: string): string => `(the old content, ${bytes} bytes, is ${reason})`,
	/** The marker that `diff` uses. */
	noNewline: "\\ No newline at end of file",
} as const;

export const listFilesTexts = {
	description:
		"Lists the files below a directory by name, sorted. Use it to look around and to find files by their names. A " +
		"directory below the depth is one line with the number of its files. Files in .gitignore, names that begin " +
		"with a dot, symbolic links and empty directories are left out. Not for the content of files (search_files).",
	depth: "Number of levels that are shown file by file. Default: 2, or all with a pattern.",
	hidden: "Whether to show names that begin with a dot.",
	maxResults: "Maximum number of lines to return.",
	more: (count: number): string => `${count} more lines: narrow the list by path, pattern or depth`,
	noneFits: (count: number): string =>
		count === 1
			? "the only file does not match the pattern"
			: `none of the ${count} files matches the pattern`,
	none: (hidden: boolean): string =>
		`no files${hidden ? "" : "; set hidden to include names that begin with a dot"}`,
} as const;

export const searchFilesTexts = {
	description:
		"Searches text files for lines that match a regular expression and returns them as path:line:text. Use it " +
		"instead of grep to find definitions, uses and texts. Files in .gitignore, names that begin with a dot, " +
		"symbolic links, binary files and files that may contain keys are not searched. Not for finding files by " +
		"their names (list_files).",
	pattern: "A regular expression for a line (Rust's syntax: no look-around, no back references).",
	path: "A directory or a file, relative to the working directory or absolute. ~ is not expanded.",
	ignoreCase: "Whether to ignore the case of letters.",
	hidden: "Whether to search files whose names begin with a dot.",
	context: "Number of lines to show before and after each match.",
	maxResults: "Maximum number of matching lines to return.",
	badText: "the pattern contains a null character or is not well-formed text: remove these characters",
	label: (pattern: string): string => `search for ${pattern} in`,
	otherPlace: "changed since it was approved: the path leads to another place; repeat the call",
	none: (files: number): string => `no matches in ${files === 1 ? "1 file" : `${files} files`}`,
	secretFile: (path: string): string =>
		`${path} may contain keys or passwords: it cannot be searched, only read`,
	controlCharacter: (path: string): string =>
		`the name ${path} contains a control character: it cannot be searched, only read`,
	failed: (path: string): string => `cannot search ${JSON.stringify(path)}`,
	notRegular: (path: string): string =>
		`cannot search ${JSON.stringify(path)}: it is neither a regular file nor a directory; use another path`,
	secretFiles: (count: number): string =>
		`${count} of the files may contain keys or passwords and were not searched`,
	badPattern: (reason: string): string => `the pattern cannot be used, so correct it: ${reason}`,
	tooSlow: "the search took too long: narrow it by path or glob",
	unreadable: "some files could not be read",
	more: "more matches: narrow the search by pattern, path or glob, or raise max_results",
} as const;

export const sendFileTexts = {
	description:
		"Gives the people in this conversation a copy of a file, which they can download. Use it when they ask for a " +
		"file, or when the result of your work is a file: a report, an image, an archive. Pack a directory into an " +
		"archive first. Not for text that fits into your answer, not for files that people only want changed in " +
		"place, or for a file that you already sent unchanged.",
	name: "The name that people see. Default: the name of the file.",
} as const;

/** Errors and notes of tools that read a directory tree. */
export const treeTexts = {
	tooSlow: "listing the files took too long: name a subdirectory",
	tooMany: "there are too many files to list: name a subdirectory",
	unreadable: "a part of the directory could not be read",
	cannotRead: (path: string): string => `cannot read the directory ${JSON.stringify(path)}`,
	notDirectory: (path: string): string =>
		`${JSON.stringify(path)} is not a directory: use the path of a directory`,
	noRipgrep: (platform: string, cpu: string): string =>
		`ripgrep, which this tool needs, has no build for ${platform} on ${cpu}: use run_command`,
} as const;

export const resultDiffTexts = {
	more: (count: number): string => `[${count} more lines of the difference left out]`,
} as const;

/** Texts about the undo of a turn's file changes, for people and models. */
export const undoTexts = {
	description:
		"Restores the files that a turn wrote, as they were before it. Use it only in the run of an undo of the operator. " +
		"Not for a model.",
	turn: "The run of the turn.",
	partly: "Whether files that cannot be restored are left as they are.",
	onlyOperator: "only the operator can undo the file changes of a turn, with /undo in the terminal chat",
	label: (files: number): string => `undo the changes of ${files === 1 ? "1 file" : `${files} files`}`,
	refused: (reasons: readonly string[], isBegun: boolean): string =>
		`No ${isBegun ? "further " : ""}file was restored, because these files cannot be restored:\n${listed(reasons)}\nUse \`/undo partly\` to restore the other files.`,
	nothingLeft: (reasons: readonly string[], isBegun: boolean): string =>
		`No ${isBegun ? "further " : ""}file was restored, because none of the files can be restored:\n${listed(reasons)}\nUse \`/undo partly\` to leave the files of this turn as they are.`,
	fileReason: (path: string, reason: string): string => `${path}: ${reason}`,
	changedSince: "changed since the turn",
	deletedSince: "deleted since the turn",
	elsewhere: "its path now leads to another file by a symbolic link",
	outside: "outside of the directories of this session",
	notStored: (bytes: number): string =>
		`its earlier content is not stored, because it has ${bytes} bytes and the maximum is 256 KiB`,
	noRoom: "its earlier content is not stored, because the stored content of this session reached its limit",
	unreadable: "its stored content cannot be read",
	leftBefore: "it could not be restored when the undo began",
	restores: (path: string): string => `restores ${path}`,
	deletes: (path: string): string => `deletes ${path}, which the turn created`,
	leaves: (reason: string): string => `leaves ${reason}`,
	interleaved: (path: string): string =>
		`${path} was also changed by something else during the turn; this change is undone, too`,
	ranCommands: "The turn also ran commands or tools of other programs. Their changes are not undone.",
	binary: (bytes: number): string => `(binary content, ${bytes} bytes)`,
	tooLong: (bytes: number): string => `(content of ${bytes} bytes, which is too long to show)`,
	secret: "(the content is kept secret)",
	unknown: "(the content is not stored)",
	noRoomForDiff: "(the difference is not shown, because the differences of the turn are too long)",
	done: (lines: readonly string[]): string => `The file changes of the turn are undone:\n${listed(lines)}`,
	restored: (path: string): string => `restored ${path}`,
	deleted: (path: string): string => `deleted ${path}`,
	left: (reason: string): string => `left ${reason}`,
	stopped: (done: readonly string[], reason: string): string =>
		`The undo stopped: ${reason}\n${done.length === 0 ? "No file was restored." : listed(done)}\nRepeat /undo to continue.`,
	cancelled: "cancelled",
} as const;

function listed(lines: readonly string[]): string {
	return lines.map((line) => `- ${line}`).join("\n");
}

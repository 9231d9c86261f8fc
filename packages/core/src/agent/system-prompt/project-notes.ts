import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import { inOpenDirectory } from "../../filesystem/regular-file.ts";
import { projectNoteTexts } from "./texts.ts";

/** Names of the files in the order in which the files of one directory are read. */
const fileNames = ["AGENTS.md", "CLAUDE.md"] as const;
/** Maximum bytes of all files together. */
const MAX_NOTES_BYTES = 32 * 1024;
/** Maximum directories, including the working directory. */
const MAX_DIRECTORIES = 16;

interface Note {
	/** Path relative to the working directory. This path consists only of `..` and the file name. */
	readonly shown: string;
	readonly text: string;
}

/**
 * Returns the text of `AGENTS.md` and `CLAUDE.md` in the working directory and in its parent directories inside the
 * roots. The text from the outermost directory is first. A heading with the path precedes each text, unless the only
 * text is the `AGENTS.md` of the working directory. Returns "" if no file exists. Contains at most 32 KiB from the
 * files, and the nearest files have priority. A file with the same content as a file in a nearer directory or an
 * earlier file in the same directory is omitted. If an existing file cannot or may not be read, a sentence in the text
 * states the reason. Never rejects.
 */
export async function readProjectNotes(cwd: string, roots: readonly string[]): Promise<string> {
	const notes: Note[] = [];
	let left = MAX_NOTES_BYTES;
	for (const directory of directoriesOf(cwd, roots)) {
		const found: Note[] = [];
		for (const name of fileNames) {
			const shown = relative(cwd, join(directory, name));
			const { text, bytes } = await readNote(join(directory, name), shown, { roots, atMost: left });
			left -= bytes;
			if (text !== "" && ![...found, ...notes].some((note) => note.text === text))
				found.push({ shown, text });
		}
		notes.unshift(...found);
	}
	const [only] = notes;
	if (notes.length === 1 && only?.shown === fileNames[0]) return only.text;
	return notes.map(({ shown, text }) => `## ${shown}\n\n${text.trim()}\n`).join("\n");
}

/** Returns `cwd` and the directories above `cwd` within `roots`: the nearest first, and at most 16. */
function directoriesOf(cwd: string, roots: readonly string[]): string[] {
	const directories = [cwd];
	for (let above = dirname(cwd); directories.length < MAX_DIRECTORIES; above = dirname(above)) {
		if (directories.includes(above) || !roots.some((root) => isWithin(above, root))) break;
		directories.push(above);
	}
	return directories;
}

interface Reading {
	readonly roots: readonly string[];
	/** Maximum bytes of the text. */
	readonly atMost: number;
}

interface ReadNote {
	readonly text: string;
	readonly bytes: number;
}

async function readNote(path: string, shown: string, { roots, atMost }: Reading): Promise<ReadNote> {
	try {
		const real = await realpath(path);
		if (!roots.some((root) => isWithin(real, root))) return notUsed(shown, projectNoteTexts.outside);
		// Without O_NONBLOCK, opening a named pipe waits for a writer. O_NOFOLLOW refuses a link.
		const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
		await using file = await inOpenDirectory(real, (inside) => open(inside, flags));
		return await readBounded(file, shown, atMost);
	} catch (reason) {
		const code = reason instanceof Error && "code" in reason ? String(reason.code) : String(reason);
		return code === "ENOENT" ? { text: "", bytes: 0 } : notUsed(shown, projectNoteTexts.unreadable(code));
	}
}

async function readBounded(file: FileHandle, shown: string, atMost: number): Promise<ReadNote> {
	const stats = await file.stat();
	if (!stats.isFile()) return notUsed(shown, projectNoteTexts.notRegular);
	// A file may be longer than its reported size, for example in /proc. Its text may then be cut without a marker.
	const { buffer, bytesRead } = await file.read(Buffer.alloc(atMost), 0, atMost, 0);
	const left = stats.size - bytesRead;
	// In stream mode, the decoder omits a character that was split by the cut.
	const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: left > 0 });
	if (left <= 0) return { text, bytes: bytesRead };
	const marker = projectNoteTexts.leftOut(left, shown);
	return { text: text === "" ? marker : `${text}\n\n${marker}`, bytes: bytesRead };
}

function notUsed(shown: string, reason: string): ReadNote {
	return { text: projectNoteTexts.notUsed(shown, reason), bytes: 0 };
}

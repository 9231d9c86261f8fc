import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import { inOpenDirectory } from "../../filesystem/regular-file.ts";
import { projectNoteTexts } from "./texts.ts";

/** Files with notes for agents, in the order of a directory. */
const fileNames = ["AGENTS.md", "CLAUDE.md"] as const;
/** Maximum bytes of all files together. */
const MAX_NOTES_BYTES = 32 * 1024;
/** Maximum number of directories: the working directory and those above it. */
const MAX_DIRECTORIES = 16;

/** Notes of one file. */
interface Note {
	/** Path relative to the working directory. It has only `..` and the name of the file. */
	readonly shown: string;
	readonly text: string;
}

/**
 * Returns the text of `AGENTS.md` and `CLAUDE.md` in the working directory and in the directories above it that are inside
 * the roots, outermost first, each below its path. Returns "" if none exists. All files together have at most 32 KiB, and the
 * nearest files come first for this limit. A file with the content of an earlier one is left out. For a file that cannot or
 * may not be read, the text has a sentence about it. Never rejects.
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

/** The working directory, then the directories above it inside the roots. */
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
	/** Maximum bytes. */
	readonly atMost: number;
}

/** Text of a file and the number of its bytes that were read. */
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
	// A file may be longer than its size says, for example in /proc. Such a text is cut without a marker.
	const { buffer, bytesRead } = await file.read(Buffer.alloc(atMost), 0, atMost, 0);
	const left = stats.size - bytesRead;
	// As part of a stream, a character that was cut in two is left out.
	const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: left > 0 });
	if (left <= 0) return { text, bytes: bytesRead };
	const marker = projectNoteTexts.leftOut(left, shown);
	return { text: text === "" ? marker : `${text}\n\n${marker}`, bytes: bytesRead };
}

function notUsed(shown: string, why: string): ReadNote {
	return { text: projectNoteTexts.notUsed(shown, why), bytes: 0 };
}

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { inHeldDirectory } from "../../filesystem/regular-file.ts";

const FILE = "AGENTS.md";
const MAX_BYTES = 32 * 1024;

/**
 * Text of `AGENTS.md` in the working directory, or "". At most 32 KiB, with a marker for the rest. An unreadable file gives
 * a
 * sentence that says so. Never rejects.
 */
export async function readProjectNotes(cwd: string, roots: readonly string[]): Promise<string> {
	try {
		const path = await realpath(join(cwd, FILE));
		if (!roots.some((root) => isInside(root, path))) return notUsed("it leads out of what tools may touch");
		// Without O_NONBLOCK, opening a named pipe waits for a writer; a link put there meanwhile is not followed.
		const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
		await using file = await inHeldDirectory(path, (inside) => open(inside, flags));
		return await readBounded(file);
	} catch (reason) {
		const code = errorCodeOf(reason);
		return code === "ENOENT" ? "" : notUsed(`it could not be read (${code})`);
	}
}

async function readBounded(file: FileHandle): Promise<string> {
	const stats = await file.stat();
	if (!stats.isFile()) return notUsed("it is not a regular file");
	const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
	const left = stats.size - bytesRead;
	// As part of a stream, a character that was cut in two is left out.
	const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: left > 0 });
	return left > 0 ? `${text}\n\n[${left} more bytes of ${FILE} are left out]` : text;
}

function isInside(root: string, path: string): boolean {
	const way = relative(root, path);
	return way !== ".." && !way.startsWith(`..${sep}`);
}

function notUsed(why: string): string {
	return `(${FILE} is not used: ${why}.)`;
}

function errorCodeOf(reason: unknown): string {
	return reason instanceof Error && "code" in reason ? String(reason.code) : String(reason);
}

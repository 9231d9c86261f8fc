import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { HeldDirectory } from "../../filesystem/held-directory.ts";

interface Replacement {
	/** Absolute and real. */
	readonly path: string;
	readonly content: string;
	/** Permission bits to give the file; undefined for what the process gives to new files. */
	readonly mode: number | undefined;
	/** Part of the name of the file that the content is gathered in, unique to this call. */
	readonly key: string;
}

/**
 * Replaces a file completely or not at all: writes and syncs a file beside it, then renames that over it. Makes missing
 * parent directories if told so. Does not keep owner, links and extended attributes of the old file. All of it happens
 * in the directory that was opened first. Throws `aborted` if a directory of the path became a link.
 */
export async function replaceFile(replacement: Replacement, makeParents: boolean): Promise<void> {
	const { path, content, mode, key } = replacement;
	await using directory = await HeldDirectory.open(dirname(path), makeParents);
	const temporary = directory.at(`.parley-${key}.tmp`);
	// Left by a call that was cut off, if it is there at all.
	await rm(temporary, { force: true });
	try {
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
		await using file = await open(temporary, flags, mode ?? 0o666);
		await file.writeFile(content);
		// The mask of the process took bits from the mode above.
		if (mode !== undefined) await file.chmod(mode);
		await file.sync();
		await rename(temporary, directory.at(basename(path)));
	} catch (reason) {
		await rm(temporary, { force: true });
		throw reason;
	}
}

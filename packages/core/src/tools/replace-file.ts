import { constants } from "node:fs";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ParleyError } from "@parley/base";

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
 * Puts a file in place whole or not at all: written and synced beside it, then renamed over it. Makes missing parent
 * directories where told. Owner, links and extended attributes of the old file are not kept. Throws `aborted` when
 * its directory became a link to elsewhere since the path was resolved.
 */
export async function replaceFile(replacement: Replacement, makeParents: boolean): Promise<void> {
	const { path, content, mode, key } = replacement;
	const directory = dirname(path);
	if (makeParents) await mkdir(directory, { recursive: true });
	await refuseMoved(directory);
	const temporary = join(directory, `.parley-${key}.tmp`);
	// Left by a call that was cut off, if it is there at all.
	await rm(temporary, { force: true });
	try {
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
		await using file = await open(temporary, flags, mode ?? 0o666);
		await file.writeFile(content);
		// The mask of the process took bits from the mode above.
		if (mode !== undefined) await file.chmod(mode);
		await file.sync();
		await refuseMoved(directory);
		await rename(temporary, path);
	} catch (reason) {
		await rm(temporary, { force: true });
		throw reason;
	}
}

async function refuseMoved(directory: string): Promise<void> {
	if ((await realpath(directory)) === directory) return;
	throw new ParleyError(`${JSON.stringify(directory)} became a link to another place`, { code: "aborted" });
}

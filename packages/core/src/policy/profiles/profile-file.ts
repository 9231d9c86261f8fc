import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { fileError, systemCode } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { openRegular, readAt } from "../../filesystem/regular-file.ts";

/** A file where it really is. */
export interface FoundFile {
	/** Its real path. */
	readonly path: string;
	/** What to call it in messages. */
	readonly shown: string;
	/** Another one as soon as the content may be another one. */
	readonly stamp: string;
}

/** The real path of something below `root`; undefined where nothing is there. Throws where a link leads out. */
export async function resolveWithin(root: string, path: string, shown: string): Promise<string | undefined> {
	const real = await orMissing(realpath(join(root, path)), shown);
	if (real === undefined || isWithin(real, root)) return real;
	throw refused(`${shown} is a link that leads out of the directory of agents`);
}

/** Finds a file below `root`; undefined where there is none. */
export async function findFile(root: string, path: string, shown: string): Promise<FoundFile | undefined> {
	const real = await resolveWithin(root, path, shown);
	if (real === undefined) return undefined;
	const stats = await orMissing(stat(real, { bigint: true }), shown);
	if (stats === undefined) return undefined;
	const { ino, size, mtimeNs, ctimeNs } = stats;
	return { path: real, shown, stamp: [ino, size, mtimeNs, ctimeNs].join() };
}

/** The text of a file that has at most so many bytes of UTF-8. */
export async function readText({ path, shown }: FoundFile, mostBytes: number): Promise<string> {
	await using file = await openRegular(path, shown);
	const bytes = await readAt(file, shown, { position: 0, length: mostBytes + 1 });
	if (bytes.length > mostBytes) throw refused(`${shown} is larger than ${mostBytes / 1024} KiB`);
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw refused(`${shown} is not text in UTF-8`, cause);
	}
}

/** Undefined where what is looked for is not there. `shown` names it in errors. */
export async function orMissing<T>(looked: Promise<T>, shown: string): Promise<T | undefined> {
	try {
		return await looked;
	} catch (reason) {
		if (["ENOENT", "ENOTDIR"].includes(systemCode(reason))) return undefined;
		throw fileError(`cannot read ${shown}`, reason);
	}
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...(cause !== undefined && { cause }) });
}

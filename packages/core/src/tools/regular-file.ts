import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { fileError } from "./file-error.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens the regular file at a real path for reading. Directories, pipes, sockets and devices are refused without
 * being opened. A link that was put in the way since the path was resolved is found out: what is open must still be
 * what stands at that path. `shown` names the file in errors.
 */
export async function openRegular(path: string, shown: string): Promise<FileHandle> {
	try {
		refuseSpecial(await lstat(path, { bigint: true }), shown);
		// Not blocking, so that a pipe which took the file's place cannot hold us.
		const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const opened = await handle.stat({ bigint: true });
			refuseSpecial(opened, shown);
			await refuseSwapped(path, opened, shown);
			return handle;
		} catch (reason) {
			await handle.close();
			throw reason;
		}
	} catch (reason) {
		throw fileError(`cannot read ${JSON.stringify(shown)}`, reason);
	}
}

/** The content from its beginning in pieces; throws the signal's reason as soon as it aborts. */
export async function* readChunks(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
	for (let position = 0; ; ) {
		signal.throwIfAborted();
		const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
		if (bytesRead === 0) return;
		position += bytesRead;
		yield buffer.subarray(0, bytesRead);
	}
}

/** Throws `invalid_argument` where this is not a regular file. */
export function refuseSpecial(stats: BigIntStats, shown: string): void {
	if (stats.isFile()) return;
	const kind = stats.isDirectory() ? "a directory" : "not a regular file";
	throw new ParleyError(`${JSON.stringify(shown)} is ${kind}`, { code: "invalid_argument" });
}

async function refuseSwapped(path: string, opened: BigIntStats, shown: string): Promise<void> {
	const [real, standing] = await Promise.all([realpath(path), lstat(path, { bigint: true })]);
	if (real === path && standing.dev === opened.dev && standing.ino === opened.ino) return;
	throw new ParleyError(`${JSON.stringify(shown)} changed while it was opened`, { code: "aborted" });
}

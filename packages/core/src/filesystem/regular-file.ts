import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import type { ToolContext } from "../vocabulary/tool.ts";
import { fileError, systemCode } from "./file-error.ts";
import { inHeldDirectory } from "./held-directory.ts";
import { belongsToGateway } from "./paths.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens the regular file at a real path for reading. Directories, pipes, sockets and devices are refused without
 * being opened. No link is followed, so that a link that was put in the way since the path was resolved leads to an
 * error. `shown` names the file in errors.
 */
export async function openRegular(path: string, shown: string): Promise<FileHandle> {
	try {
		return await inHeldDirectory(path, async (inside) => {
			refuseSpecial(await lstat(inside, { bigint: true }), shown);
			// Not blocking, so that a pipe which took the file's place cannot hold us.
			const handle = await open(inside, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
			try {
				refuseSpecial(await handle.stat({ bigint: true }), shown);
				return handle;
			} catch (reason) {
				await handle.close();
				throw reason;
			}
		});
	} catch (reason) {
		throw fileError(`cannot read ${JSON.stringify(shown)}`, reason);
	}
}

/**
 * The content from its beginning in pieces; throws the signal's reason as soon as it aborts. `shown` names the file in
 * errors.
 */
export async function* readChunks(
	file: FileHandle,
	shown: string,
	signal: AbortSignal,
): AsyncGenerator<Buffer> {
	for (let position = 0; ; ) {
		signal.throwIfAborted();
		const chunk = await readAt(file, shown, { position, length: CHUNK_BYTES });
		if (chunk.length === 0) return;
		position += chunk.length;
		yield chunk;
	}
}

/** Up to `length` bytes; none at the end. Files of the kernel open well and fail only here. */
export async function readAt(
	file: FileHandle,
	shown: string,
	{ position, length }: { readonly position: number; readonly length: number },
): Promise<Buffer> {
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
		return buffer.subarray(0, bytesRead);
	} catch (reason) {
		throw fileError(`cannot read ${JSON.stringify(shown)}`, reason);
	}
}

/**
 * Refuses another name of a file that lies in a forbidden directory: a hard link has no path that would tell. Files
 * with one name, which are nearly all, cost no look.
 */
export async function refuseForbiddenTwin(
	file: FileHandle,
	shown: string,
	context: Pick<ToolContext, "forbidden" | "workspace">,
): Promise<void> {
	const { nlink, dev, ino } = await file.stat({ bigint: true });
	if (nlink <= 1n) return;
	for (const directory of context.forbidden) {
		for (const path of await filesBelow(directory)) {
			if (!belongsToGateway(path, context)) continue;
			const other = await lstat(path, { bigint: true }).catch(ignoreGone);
			if (other?.dev !== dev || other.ino !== ino) continue;
			throw new ParleyError(`no tool may touch ${JSON.stringify(shown)}: it belongs to the gateway`, {
				code: "permission_denied",
			});
		}
	}
}

async function filesBelow(directory: string): Promise<string[]> {
	const names = await readdir(directory, { recursive: true }).catch(ignoreGone);
	return (names ?? []).map((name) => join(directory, name));
}

function ignoreGone(reason: unknown): undefined {
	if (["ENOENT", "ENOTDIR"].includes(systemCode(reason))) return undefined;
	throw fileError("cannot look at the gateway's own files", reason);
}

/** Throws `invalid_argument` where this is not a regular file. */
export function refuseSpecial(stats: BigIntStats, shown: string): void {
	if (stats.isFile()) return;
	const kind = stats.isDirectory() ? "a directory" : "not a regular file";
	throw new ParleyError(`${JSON.stringify(shown)} is ${kind}`, { code: "invalid_argument" });
}

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { fileError, systemCode } from "../../filesystem/file-error.ts";
import { inHeldDirectory } from "../../filesystem/held-directory.ts";
import {
	openRegular,
	readChunks,
	refuseForbiddenTwin,
	refuseSpecial,
} from "../../filesystem/regular-file.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";

/** More than this is not kept, only counted and hashed. */
const KEPT_BYTES = 256 * 1024;

/** What stands at a path before it is written. */
export interface FileState {
	/** sha256 of the content in hexadecimal, or `absent`. */
	readonly fingerprint: string;
	/** Undefined where nothing is, or where it is larger than 256 KiB. */
	readonly content: Buffer | undefined;
	readonly size: number;
	/** Permission bits to keep; undefined where nothing is. */
	readonly mode: number | undefined;
}

/**
 * Looks at the file at a real path; refuses what is there but no regular file, may not be written, or is another name
 * of a file of the gateway.
 */
export async function inspectFile(
	path: string,
	shown: string,
	context: Pick<ToolContext, "signal" | "forbidden" | "workspace">,
): Promise<FileState> {
	try {
		await inHeldDirectory(path, async (inside) => {
			refuseSpecial(await lstat(inside, { bigint: true }), shown);
			await access(inside, constants.W_OK);
		});
	} catch (reason) {
		if (systemCode(reason) === "ENOENT") {
			return { fingerprint: "absent", content: undefined, size: 0, mode: undefined };
		}
		throw fileError(`cannot write ${JSON.stringify(shown)}`, reason);
	}
	await using file = await openRegular(path, shown);
	await refuseForbiddenTwin(file, shown, context);
	const { mode } = await file.stat();
	const hash = createHash("sha256");
	const kept: Buffer[] = [];
	let size = 0;
	for await (const chunk of readChunks(file, shown, context.signal)) {
		hash.update(chunk);
		size += chunk.length;
		if (size <= KEPT_BYTES) kept.push(chunk);
	}
	return {
		fingerprint: hash.digest("hex"),
		content: size <= KEPT_BYTES ? Buffer.concat(kept) : undefined,
		size,
		mode: mode & 0o777,
	};
}

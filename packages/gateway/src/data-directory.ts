import { mkdir } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { errno } from "./errno.ts";
import { checkPermissions } from "./private-file.ts";

/**
 * Makes the data directory, for its owner only (0700). Rejects with `failed_precondition` one that every user of the
 * machine may enter, because it holds tokens and conversations, and what is no directory at all.
 */
export async function prepareDataDirectory(path: string): Promise<void> {
	try {
		await mkdir(path, { recursive: true, mode: 0o700 });
	} catch (cause) {
		throw directoryError(path, cause);
	}
	await checkPermissions(path, 0o007);
}

function directoryError(path: string, cause: unknown): ParleyError {
	const choose = "choose another data directory with --data DIR";
	const code = "failed_precondition";
	switch (errno(cause)) {
		case "EEXIST":
		case "ENOTDIR":
			return new ParleyError(`${path} is not a directory; ${choose}`, { code, cause });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new ParleyError(`${path} cannot be created by this user; ${choose}`, { code, cause });
		default:
			return new ParleyError(`${path} cannot be created; ${choose}`, { code, cause });
	}
}

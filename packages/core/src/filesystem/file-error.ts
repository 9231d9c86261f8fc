import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { type ErrorCode, ParleyError } from "@parley/base";

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
	EACCES: ["permission_denied", "permission denied"],
	EPERM: ["permission_denied", "the system does not permit it"],
	EROFS: ["permission_denied", "the file system is read-only"],
	ENOENT: ["not_found", "there is no such file"],
	ENOTDIR: ["invalid_argument", "a part of the path is a file, not a directory"],
	EISDIR: ["invalid_argument", "it is a directory"],
	ELOOP: ["failed_precondition", "symbolic links form a loop, or a file was just replaced by a link"],
	ENAMETOOLONG: ["invalid_argument", "a name in the path is too long"],
	ENXIO: ["invalid_argument", "it is not a regular file"],
	ENOSPC: ["resource_exhausted", "no space is left on the device"],
	EDQUOT: ["resource_exhausted", "the disk quota is used up"],
	EIO: ["unavailable", "the device or the system could not read or write it"],
	EFBIG: ["resource_exhausted", "the file would be too large"],
};

/** Error for a failed file operation: `what` names the operation, and the cause gives the reason in words. */
export function fileError(what: string, cause: unknown): ParleyError {
	if (cause instanceof ParleyError) return cause;
	const code = systemCode(cause);
	if (code === "") return ParleyError.from(cause);
	const [errorCode, why] = meanings[code] ?? ["internal", `the system says ${code}`];
	return new ParleyError(`${what}: ${why}`, { code: errorCode, cause });
}

/** System code of an error (`ENOENT`), or "" without one. */
export function systemCode(reason: unknown): string {
	return reason instanceof Error && "code" in reason && typeof reason.code === "string" ? reason.code : "";
}

/**
 * Maximum bytes of a file whose content is hashed. A larger file is identified by size, `mtime` and `ctime` in nanoseconds.
 */
const maxHashedBytes = 50n * 1024n * 1024n;

/** Real path of a file or directory with its number in the file system. Another file at this path has another identity. */
export async function identityOf(path: string): Promise<string> {
	const real = await realpath(path);
	const { dev, ino } = await stat(real, { bigint: true });
	return `${real} ${dev}:${ino}`;
}

/** Identity that includes the content. The same file with other content has another identity. */
export async function contentIdentityOf(path: string): Promise<string> {
	const real = await realpath(path);
	// Another kind of file may have replaced it, and opening it would block.
	await using file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
	const stats = await file.stat({ bigint: true });
	const { dev, ino } = stats;
	if (!stats.isFile() || stats.size > maxHashedBytes) return `${real} ${dev}:${ino} ${factsOf(stats)}`;
	const hash = createHash("sha256");
	for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk);
	return `${real} ${dev}:${ino} sha256:${hash.digest("hex")}`;
}

function factsOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
	return `size:${size} ${mtimeNs} ${ctimeNs}`;
}

const nothing = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"];

/** Result of an operation on a path. Undefined if this user can reach no file at the path. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
	try {
		return await found;
	} catch (reason) {
		if (nothing.includes(systemCode(reason))) return undefined;
		throw reason;
	}
}

import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { type ErrorCode, ParleyError } from "@parley/base";
import { fileErrorTexts } from "./texts.ts";

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
	EACCES: ["permission_denied", fileErrorTexts.permissionDenied],
	EPERM: ["permission_denied", fileErrorTexts.notPermitted],
	EROFS: ["permission_denied", fileErrorTexts.readOnly],
	ENOENT: ["not_found", fileErrorTexts.missing],
	ENOTDIR: ["invalid_argument", fileErrorTexts.notDirectory],
	EISDIR: ["invalid_argument", fileErrorTexts.isDirectory],
	ELOOP: ["failed_precondition", fileErrorTexts.loop],
	ENAMETOOLONG: ["invalid_argument", fileErrorTexts.longName],
	ENXIO: ["invalid_argument", fileErrorTexts.notRegular],
	ENOSPC: ["resource_exhausted", fileErrorTexts.noSpace],
	EDQUOT: ["resource_exhausted", fileErrorTexts.quota],
	EIO: ["unavailable", fileErrorTexts.device],
	EFBIG: ["resource_exhausted", fileErrorTexts.tooLarge],
};

/**
 * Returns an error for a failed file operation. `subject` names the operation, and the system code of the cause gives the
 * reason. Converts a cause without a system code as `ParleyError.from` does.
 */
export function fileError(subject: string, cause: unknown): ParleyError {
	if (cause instanceof ParleyError) return cause;
	const code = systemCode(cause);
	if (code === "") return ParleyError.from(cause);
	const [errorCode, reason] = meaningOf(code);
	return new ParleyError(`${subject}: ${reason}`, { code: errorCode, cause });
}

/** Returns a readable reason for a failed file operation, without the subject of the operation. */
export function fileFault(cause: unknown): string {
	const code = systemCode(cause);
	return code === "" ? ParleyError.from(cause).message : meaningOf(code)[1];
}

function meaningOf(code: string): readonly [ErrorCode, string] {
	return meanings[code] ?? ["internal", fileErrorTexts.other(code)];
}

/**
 * Whether a path does not exist, according to the error: a part of the path is missing, or a parent is not a
 * directory.
 */
export function isNotFound(cause: unknown): boolean {
	return ["ENOENT", "ENOTDIR"].includes(systemCode(cause));
}

/** Returns the system code of an error (`ENOENT`), or "" if the error has no code. */
export function systemCode(reason: unknown): string {
	return reason instanceof Error && "code" in reason && typeof reason.code === "string" ? reason.code : "";
}

/**
 * Maximum bytes of a file that is identified by its content. A larger file is identified by size, and by `mtime`
 * and `ctime` in nanoseconds.
 */
const maxHashedBytes = 50n * 1024n * 1024n;

/** Returns the real path of a file or directory, with its device and inode numbers. */
export async function identityOf(path: string): Promise<string> {
	const real = await realpath(path);
	const { dev, ino } = await stat(real, { bigint: true });
	return `${real} ${dev}:${ino}`;
}

/**
 * Returns an identity that includes the content. For a large or special file, the identity includes the size and the
 * times instead of the content.
 */
export async function contentIdentityOf(path: string): Promise<string> {
	const real = await realpath(path);
	// A file of another type, for example a pipe, may have replaced this file. Without O_NONBLOCK, opening a pipe could
	// block.
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

/**
 * Returns the result of an operation on a path. Returns undefined if the path does not exist or the gateway's user
 * cannot access it.
 */
export async function ifThere<T>(stats: Promise<T>): Promise<T | undefined> {
	try {
		return await stats;
	} catch (reason) {
		if (nothing.includes(systemCode(reason))) return undefined;
		throw reason;
	}
}

import { type ErrorCode, ParleyError } from "@parley/base";

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
	EACCES: ["permission_denied", "permission denied"],
	EPERM: ["permission_denied", "the system does not permit it"],
	EROFS: ["permission_denied", "the file system is read-only"],
	ENOENT: ["not_found", "there is no such file"],
	ENOTDIR: ["invalid_argument", "a part of the path is a file, not a directory"],
	EISDIR: ["invalid_argument", "it is a directory"],
	ELOOP: ["failed_precondition", "symbolic links go round in a circle, or a file became one just now"],
	ENAMETOOLONG: ["invalid_argument", "a name in the path is too long"],
	ENXIO: ["invalid_argument", "it is not a regular file"],
	ENOSPC: ["resource_exhausted", "no space is left on the device"],
	EDQUOT: ["resource_exhausted", "the disk quota is used up"],
	EIO: ["unavailable", "the device or the system could not read or write it"],
	EFBIG: ["resource_exhausted", "the file would be too large"],
};

/** What a failed file operation means for whoever asked for it: `what` failed, and why in words. */
export function fileError(what: string, cause: unknown): ParleyError {
	if (cause instanceof ParleyError) return cause;
	const code = systemCode(cause);
	if (code === "") return ParleyError.from(cause);
	const [errorCode, why] = meanings[code] ?? ["internal", `the system says ${code}`];
	return new ParleyError(`${what}: ${why}`, { code: errorCode, cause });
}

/** The system's name of an error (`ENOENT`), or "" where it has none. */
export function systemCode(reason: unknown): string {
	return reason instanceof Error && "code" in reason && typeof reason.code === "string" ? reason.code : "";
}

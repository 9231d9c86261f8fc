import { ParleyError } from "@parley/base";

/** Limits of kept files. */
export interface FileLimits {
	/** Maximum of one file. */
	readonly maxBytes: number;
	/** Maximum of all files together. Each counts as at least `leastCounted` bytes. */
	readonly quotaBytes: number;
	/** Milliseconds until a file without a message expires. */
	readonly keepMs: number;
}

export const defaultFileLimits: FileLimits = {
	maxBytes: 32 * 1024 * 1024,
	quotaBytes: 1024 * 1024 * 1024,
	keepMs: 7 * 24 * 60 * 60 * 1000,
};

/** Bytes that a file counts against the quota at least: a row, a directory entry and a block of the disk. */
export const leastCounted = 4 * 1024;

/** Error for a file that is larger than the maximum of one file. */
export class FileTooLargeError extends ParleyError {
	constructor(maxBytes: number) {
		super(
			`the file is larger than ${maxBytes} bytes: send a smaller file, or raise files.maxBytes in the configuration`,
			{
				code: "resource_exhausted",
			},
		);
	}
}

/** Error for a result of a call that cannot be kept, although all results that may be deleted were. */
export function noRoomForOutput(quotaBytes: number): ParleyError {
	return new ParleyError(
		`no room for this result: kept results may take a quarter of files.quotaBytes (${quotaBytes}), and results of unfinished ` +
			"runs are not deleted; request less output, or raise files.quotaBytes in the configuration",
		{ code: "resource_exhausted" },
	);
}

export function refuseOverQuota(bytes: number, { quotaBytes }: FileLimits): void {
	if (bytes <= quotaBytes) return;
	throw new ParleyError(
		`no room for another file: the quota of all files is ${quotaBytes} bytes, and each counts as at least ${leastCounted}; ` +
			"delete sessions with files, wait until unused uploads expire (files.keepDays), " +
			"or raise files.quotaBytes in the configuration",
		{ code: "resource_exhausted" },
	);
}

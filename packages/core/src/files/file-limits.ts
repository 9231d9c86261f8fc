import { ParleyError } from "@parley/base";

/** How much is kept, and how long. */
export interface FileLimits {
	/** Of one file. */
	readonly maxBytes: number;
	/** Of all files together, each counted as `leastCounted` bytes at least. */
	readonly quotaBytes: number;
	/** How long a file waits for a message that carries it, in milliseconds. */
	readonly keepMs: number;
}

export const defaultFileLimits: FileLimits = {
	maxBytes: 32 * 1024 * 1024,
	quotaBytes: 1024 * 1024 * 1024,
	keepMs: 7 * 24 * 60 * 60 * 1000,
};

/** What a file takes of the quota at least: its row, its entry in the directory and a block of the disk are no less. */
export const leastCounted = 4 * 1024;

/** One file is larger than any may be; others would not be. */
export class FileTooLargeError extends ParleyError {
	constructor(maxBytes: number) {
		super(`the file is larger than ${maxBytes} bytes, which is all that one may have`, {
			code: "resource_exhausted",
		});
	}
}

export function refuseOverQuota(bytes: number, { quotaBytes }: FileLimits): void {
	if (bytes <= quotaBytes) return;
	throw new ParleyError(
		`no room for another file: together they may have ${quotaBytes} bytes, each counted as ${leastCounted} at least; ` +
			"delete sessions with files, wait until files that no message took expire (files.keepDays), " +
			"or allow more with files.quotaBytes in the configuration",
		{ code: "resource_exhausted" },
	);
}

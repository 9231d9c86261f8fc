import { createHash } from "node:crypto";
import {
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	openSync,
	readSync,
	realpathSync,
	statSync,
} from "node:fs";
import { ParleyError } from "@parley/base";
import { systemCode } from "../filesystem/file-error.ts";
import { type KnownTool, type PolicyFile, type PolicySource, readPolicy } from "./read-policy.ts";
import { policyFileTexts } from "./texts.ts";

/** Maximum bytes of a valid policy file. */
export const maxPolicyBytes = 256 * 1024;

/** Current state of a policy file. */
export interface PolicyState extends PolicyFile {
	/** Hash of the text or problem. Empty for a missing file, unless its deletion is the problem. */
	readonly digest: string;
	/** Error in the file, with the position of the error, or reason why the file cannot be used. */
	readonly problem?: string;
}

const absent: PolicyState = { digest: "", rules: [], ignored: [] };

export interface WatchedFile extends Omit<PolicySource, "text"> {
	readonly tools: readonly KnownTool[];
	/** Whether the file belongs to a workspace. If so, links in its path are refused, and the file may be deleted. */
	readonly foreign: boolean;
	/** Receives the state after the first read and after each change. `before` is undefined at the first read. */
	readonly onRead: (state: PolicyState, before: PolicyState | undefined) => void;
}

/**
 * A policy file that is checked at each use and read again after a change. A read error becomes the `problem` of the
 * state and is not thrown. The deletion of a file that was read before is also a problem, because its rules may have
 * protected something. Only the file of a workspace may be deleted without a problem.
 */
export class WatchedPolicy {
	readonly #file: WatchedFile;
	#stamp: string | undefined;
	#state: PolicyState = absent;

	constructor(file: WatchedFile) {
		this.#file = file;
	}

	/** Returns the current state of the file. Returns the same object until the file changes. */
	current(): PolicyState {
		const stamp = this.#findStamp();
		if (stamp === this.#stamp) return this.#state;
		const before = this.#stamp === undefined ? undefined : this.#state;
		this.#state = this.#read(stamp);
		this.#stamp = stamp;
		this.#file.onRead(this.#state, before);
		return this.#state;
	}

	/**
	 * Returns a text that changes when the file changes. Returns "" if the file is missing, and a system error code if
	 * the file's metadata cannot be read.
	 */
	#findStamp(): string {
		const { path, foreign } = this.#file;
		try {
			const readStats = foreign ? lstatSync : statSync;
			const stats = readStats(path, { bigint: true, throwIfNoEntry: false });
			return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join() : "";
		} catch (reason) {
			return systemCode(reason);
		}
	}

	#read(stamp: string): PolicyState {
		const { path, layer, tools, foreign } = this.#file;
		if (stamp === "") {
			if (foreign || this.#stamp === undefined || this.#stamp === "") return absent;
			return broken(policyFileTexts.deleted(path));
		}
		let text = "";
		try {
			text = readFile(this.#file);
			const digest = createHash("sha256").update(text).digest("hex");
			return { digest, ...readPolicy({ layer, path, text }, tools) };
		} catch (reason) {
			if (reason instanceof ParleyError) return broken(reason.message, text);
			const errorCode = systemCode(reason);
			return broken(policyFileTexts.unreadable(path, errorCode, foreign));
		}
	}
}

function broken(problem: string, text = ""): PolicyState {
	const digest = createHash("sha256").update(`${problem}\n${text}`).digest("hex");
	return { ...absent, digest, problem };
}

function readFile({ path, foreign }: WatchedFile): string {
	// A link in a workspace could lead to any file.
	if (foreign && realpathSync(path) !== path) throw refused(path, policyFileTexts.link);
	// Without `O_NONBLOCK`, opening a named pipe would block the gateway until a program writes to the pipe.
	const file = openSync(
		path,
		constants.O_RDONLY | constants.O_NONBLOCK | (foreign ? constants.O_NOFOLLOW : 0),
	);
	try {
		const stats = fstatSync(file);
		if (!stats.isFile()) throw refused(path, policyFileTexts.notRegular);
		if (!foreign && (stats.mode & 0o002) !== 0) {
			throw refused(path, policyFileTexts.writable(path));
		}
		const bytes = Buffer.alloc(maxPolicyBytes + 1);
		const length = readSync(file, bytes, 0, bytes.length, 0);
		if (length > maxPolicyBytes) throw refused(path, policyFileTexts.tooLarge(maxPolicyBytes / 1024));
		return decode(path, bytes.subarray(0, length));
	} finally {
		closeSync(file);
	}
}

function decode(path: string, bytes: Buffer): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw refused(path, policyFileTexts.notText, cause);
	}
}

function refused(path: string, errorCode: string, cause?: unknown): ParleyError {
	const more = cause === undefined ? {} : { cause };
	return new ParleyError(`${path}: ${errorCode}`, { code: "invalid_argument", ...more });
}

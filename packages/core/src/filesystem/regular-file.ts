import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { ParleyError } from "@parley/base";
import { fileError, isNotFound, systemCode } from "./file-error.ts";
import { belongsToGateway, type ForbiddenPaths } from "./paths.ts";
import { pathFaultTexts } from "./texts.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens the regular file at a real path for reading. Refuses directories, pipes, sockets and devices without opening
 * them. Does not follow links, and throws if a link replaced the file after the path was resolved. `shown` names the
 * file in errors.
 */
export async function openRegular(path: string, shown: string): Promise<FileHandle> {
	try {
		return await inOpenDirectory(path, async (inside) => {
			refuseSpecial(await lstat(inside, { bigint: true }), shown);
			// Non-blocking, so that a pipe in place of the file cannot block the gateway.
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
		throw fileError(pathFaultTexts.cannotRead(shown), reason);
	}
}

/**
 * Yields the content of a file in chunks. If the signal aborts, throws the reason of the signal before the next chunk.
 * `shown` names the file in errors.
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

/**
 * Reads up to `length` bytes. Returns an empty buffer at the end. Throws if the file cannot be read: some special files
 * of the kernel can be opened but not read.
 */
export async function readAt(
	file: FileHandle,
	shown: string,
	{ position, length }: { readonly position: number; readonly length: number },
): Promise<Buffer> {
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
		return buffer.subarray(0, bytesRead);
	} catch (reason) {
		throw fileError(pathFaultTexts.cannotRead(shown), reason);
	}
}

/**
 * Throws `permission_denied` if a forbidden directory contains a hard link to the file. The paths of two hard links are
 * unrelated, so the function searches the forbidden directories. Most files have only one link and need no search.
 */
export async function refuseForbiddenHardLink(
	file: FileHandle,
	shown: string,
	context: ForbiddenPaths,
): Promise<void> {
	const { nlink, dev, ino } = await file.stat({ bigint: true });
	if (nlink <= 1n) return;
	for (const directory of context.forbidden) {
		for (const path of await filesBelow(directory)) {
			if (!belongsToGateway(path, context)) continue;
			const other = await lstat(path, { bigint: true }).catch(ignoreMissing);
			if (other?.dev !== dev || other.ino !== ino) continue;
			throw new ParleyError(pathFaultTexts.ofGateway(shown), {
				code: "permission_denied",
			});
		}
	}
}

async function filesBelow(directory: string): Promise<string[]> {
	const names = await readdir(directory, { recursive: true }).catch(ignoreMissing);
	return (names ?? []).map((name) => join(directory, name));
}

function ignoreMissing(reason: unknown): undefined {
	if (isNotFound(reason)) return undefined;
	throw fileError(pathFaultTexts.ownFilesUnchecked, reason);
}

/** Throws `invalid_argument` for anything but a regular file. */
export function refuseSpecial(stats: BigIntStats, shown: string): void {
	if (stats.isFile()) return;
	const text = stats.isDirectory() ? pathFaultTexts.directory : pathFaultTexts.notRegular;
	throw new ParleyError(text(shown), { code: "invalid_argument" });
}

/**
 * Flag to open a directory only to access names in the directory, without permission to read the directory. Only Linux
 * has this flag (open(2)). Its value is the same on all Linux architectures that Node supports.
 */
const O_PATH = process.platform === "linux" ? 0o10000000 : 0;
const FLAGS = O_PATH | constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * An open directory. `at` returns a path to a file in this directory, even if a different directory now has the path
 * with which it was opened. A program that swaps directories and links cannot redirect an operation.
 */
export class OpenDirectory implements AsyncDisposable {
	readonly #handle: FileHandle;
	readonly #link: string;

	private constructor(handle: FileHandle, link: string) {
		this.#handle = handle;
		this.#link = link;
	}

	/**
	 * Opens a directory at an absolute path without `.`, `..` and links, such as a result of `resolvePath`. Opens each
	 * component without following links. If `make` is true, creates missing directories. Throws `aborted` if a component
	 * has become a link. Throws the system's error if a component is missing or unreadable. Throws `failed_precondition`
	 * on a system that cannot access names through an open directory.
	 */
	static async open(path: string, make = false): Promise<OpenDirectory> {
		let opened = await OpenDirectory.#wrap(await open(sep, FLAGS));
		for (const name of path.split(sep).filter((part) => part !== "")) {
			const parent = opened;
			try {
				opened = await parent.enter(name, make);
			} finally {
				await parent[Symbol.asyncDispose]();
			}
		}
		return opened;
	}

	/** Returns a path to the file `name` in the open directory. The path is valid until the directory is disposed of. */
	at(name: string): string {
		return `${this.#link}${sep}${name}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#handle.close();
	}

	/**
	 * Opens a subdirectory without following a link. If `make` is true, creates a missing directory. Throws in the same
	 * cases as `open`.
	 */
	async enter(name: string, make = false): Promise<OpenDirectory> {
		const inside = this.at(name);
		try {
			return await OpenDirectory.#wrap(await open(inside, FLAGS));
		} catch (cause) {
			const code = systemCode(cause);
			if (make && code === "ENOENT") {
				await mkdir(inside).catch(ignoreExisting);
				return this.enter(name);
			}
			// Depending on the system, a link in place of a directory causes the code ELOOP or ENOTDIR.
			if (code !== "ELOOP" && !(code === "ENOTDIR" && (await isLink(inside)))) throw cause;
			throw new ParleyError(pathFaultTexts.becameLink(name), {
				code: "aborted",
				cause,
			});
		}
	}

	static async #wrap(handle: FileHandle): Promise<OpenDirectory> {
		try {
			return new OpenDirectory(handle, await linkTo(handle));
		} catch (reason) {
			await handle.close();
			throw reason;
		}
	}
}

/**
 * Opens the parent directory of `path`, and calls `act` with a path to the last component in the open directory. Throws
 * in the same cases as `OpenDirectory.open`.
 */
export async function inOpenDirectory<T>(path: string, act: (inside: string) => Promise<T>): Promise<T> {
	await using directory = await OpenDirectory.open(dirname(path));
	// The root of the file system has no last component.
	return await act(directory.at(basename(path) || "."));
}

/**
 * Returns a path to an open file or directory: proc(5) on Linux. On macOS, the file system lists each file below /.vol
 * by device and inode number. The first call checks whether such a path works.
 */
async function linkTo(handle: FileHandle): Promise<string> {
	const link = await linkOf(handle);
	works ??= isSame(handle, link);
	if (await works) return link;
	throw new ParleyError(pathFaultTexts.noSafeAccess, {
		code: "failed_precondition",
	});
}

let works: Promise<boolean> | undefined;

async function linkOf(handle: FileHandle): Promise<string> {
	if (process.platform === "linux") return `/proc/self/fd/${handle.fd}`;
	const { dev, ino } = await handle.stat({ bigint: true });
	return `/.vol/${dev}/${ino}`;
}

async function isSame(handle: FileHandle, link: string): Promise<boolean> {
	const there = await stat(link, { bigint: true }).catch(() => undefined);
	const facts = await handle.stat({ bigint: true });
	return there?.dev === facts.dev && there.ino === facts.ino;
}

async function isLink(path: string): Promise<boolean> {
	const there = await lstat(path).catch(() => undefined);
	return there?.isSymbolicLink() === true;
}

function ignoreExisting(reason: unknown): void {
	if (systemCode(reason) !== "EEXIST") throw reason;
}

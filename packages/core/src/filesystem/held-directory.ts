import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { ParleyError } from "@parley/base";
import { systemCode } from "./file-error.ts";

/**
 * Opens a directory only to reach names in it, which needs no right to read it. Linux has this flag (open(2)); the
 * value is that of all its architectures that Node supports.
 */
const O_PATH = process.platform === "linux" ? 0o10000000 : 0;
const FLAGS = O_PATH | constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A directory that is held open. `at` names a file in this very directory, whatever stands at the directory's own path
 * by now. A program that swaps directories and links can therefore not lead an operation elsewhere.
 */
export class HeldDirectory implements AsyncDisposable {
	readonly #handle: FileHandle;
	readonly #link: string;

	private constructor(handle: FileHandle, link: string) {
		this.#handle = handle;
		this.#link = link;
	}

	/**
	 * Opens a directory at an absolute path without `.`, `..` and links, as `resolvePath` returns it: component by
	 * component, and without following a link. With `make`, directories that are missing are made. Throws `aborted` if a
	 * component is a link by now, the error of the system if it is missing or unreadable, and `failed_precondition` on a
	 * system that cannot reach names through an open directory.
	 */
	static async open(path: string, make = false): Promise<HeldDirectory> {
		let held = await HeldDirectory.#hold(await open(sep, FLAGS));
		for (const name of path.split(sep).filter((part) => part !== "")) {
			const parent = held;
			try {
				held = await parent.enter(name, make);
			} finally {
				await parent[Symbol.asyncDispose]();
			}
		}
		return held;
	}

	/** Path of a name in this directory. Use it at once: it is valid until the directory is disposed of. */
	at(name: string): string {
		return `${this.#link}${sep}${name}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#handle.close();
	}

	/** Opens a directory in this one, without following a link. With `make`, it is made if it is missing. Throws as `open`. */
	async enter(name: string, make = false): Promise<HeldDirectory> {
		const inside = this.at(name);
		try {
			return await HeldDirectory.#hold(await open(inside, FLAGS));
		} catch (cause) {
			const code = systemCode(cause);
			if (make && code === "ENOENT") {
				await mkdir(inside).catch(unlessThere);
				return this.enter(name);
			}
			// A link in the place of a directory is one of these two, depending on the system.
			if (code !== "ELOOP" && !(code === "ENOTDIR" && (await isLink(inside)))) throw cause;
			throw new ParleyError(`the directory ${JSON.stringify(name)} became a link to another place`, {
				code: "aborted",
				cause,
			});
		}
	}

	static async #hold(handle: FileHandle): Promise<HeldDirectory> {
		try {
			return new HeldDirectory(handle, await linkTo(handle));
		} catch (reason) {
			await handle.close();
			throw reason;
		}
	}
}

/** Calls `act` with the path of the last name of `path`, in its held directory. See `HeldDirectory.open` for errors. */
export async function inHeldDirectory<T>(path: string, act: (inside: string) => Promise<T>): Promise<T> {
	await using directory = await HeldDirectory.open(dirname(path));
	// The root of the file system has no name.
	return await act(directory.at(basename(path) || "."));
}

/**
 * Path that the system resolves through an open directory: proc(5) on Linux; on macOS the file system lists every
 * file below /.vol by device and number. Whether it works is checked once.
 */
async function linkTo(handle: FileHandle): Promise<string> {
	const link = await linkOf(handle);
	works ??= isSame(handle, link);
	if (await works) return link;
	throw new ParleyError(
		"cannot use files safely: this system does not reach names through an open directory",
		{ code: "failed_precondition" },
	);
}

let works: Promise<boolean> | undefined;

async function linkOf(handle: FileHandle): Promise<string> {
	if (process.platform === "linux") return `/proc/self/fd/${handle.fd}`;
	const { dev, ino } = await handle.stat({ bigint: true });
	return `/.vol/${dev}/${ino}`;
}

async function isSame(handle: FileHandle, link: string): Promise<boolean> {
	const there = await stat(link, { bigint: true }).catch(() => undefined);
	const held = await handle.stat({ bigint: true });
	return there?.dev === held.dev && there.ino === held.ino;
}

async function isLink(path: string): Promise<boolean> {
	const there = await lstat(path).catch(() => undefined);
	return there?.isSymbolicLink() === true;
}

function unlessThere(reason: unknown): void {
	if (systemCode(reason) !== "EEXIST") throw reason;
}

import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { definedItems, ParleyError } from "@parley/base";
import { ifThere, systemCode } from "../../filesystem/file-error.ts";
import { replacedDirectory } from "../../filesystem/paths.ts";
import type { Command, CommandOutcome } from "../../vocabulary/sandbox.ts";
import type { Mount } from "./system-layout.ts";
import { bubblewrapTexts, rootTexts } from "./texts.ts";

/**
 * Flags of open(2). O_PATH identifies a file without permission to read it. With O_NOFOLLOW, a link itself is opened.
 */
const FLAGS = 0o10000000 | constants.O_NOFOLLOW;
const binds: readonly (string | undefined)[] = ["--bind", "--ro-bind", "--ro-bind-try"];
/** First option of each kind of mount that covers earlier mounts at the same path. */
const covers: readonly (string | undefined)[] = [...binds, "--perms", "--tmpfs"];
/**
 * Output of the shell line from `check` if a path no longer leads to the opened file. The command has then not started.
 */
const REPLACED = rootTexts.directoryReplaced;

/** Error for a file or directory that another program replaced or removed while the sandbox was built. */
class PlaceReplaced extends ParleyError {
	constructor(path?: string) {
		const file = path === undefined ? rootTexts.fileOfRoots : JSON.stringify(path);
		super(rootTexts.replacedWhileBuilt(file), { code: "aborted" });
	}
}

/** Error for a command whose sandbox could not be set up. The command did not run. */
export class SandboxNotSetUp extends ParleyError {
	/** Message without the part about the command. */
	readonly reason: string;

	/** `cause` is the text of the program that failed, usually bubblewrap. */
	constructor(cause: string) {
		const reason = bubblewrapTexts.notSetUp(cause);
		super(rootTexts.notSetUp(reason), { code: "failed_precondition" });
		this.reason = reason;
	}
}

/** An open file or directory, with its device and inode in the format of stat(1). */
interface Place {
	readonly handle: FileHandle;
	readonly id: string;
}

/**
 * Set of open files and directories. The files and directories stay open so that the system does not reuse their device
 * and inode numbers. Linux only.
 */
export class PinnedPlaces implements AsyncDisposable {
	readonly #places = new Map<string, Promise<Place | "missing" | "elsewhere">>();
	/** Device and inode that each path inside the sandbox must have. */
	readonly #bound = new Map<string, string>();

	/**
	 * Opens a root or a working directory of a command. `role` names the directory in errors. Throws
	 * `failed_precondition` if the directory is missing, or if `path` is or contains a symbolic link.
	 */
	async pin(path: string, role: "root" | "working directory"): Promise<void> {
		if (await this.tryPin(path)) return;
		throw replacedDirectory(path, role, await ifThere(realpath(path)));
	}

	/**
	 * Opens the directory and keeps it open. Resolves with false if the directory is missing, or if `path` is or
	 * contains a symbolic link.
	 */
	async tryPin(path: string): Promise<boolean> {
		return typeof (await this.#pin(path)) === "object";
	}

	/**
	 * Returns the mounts, except those with a missing source that `isPinned` selects. Records the other selected sources
	 * for `check`. Throws `PlaceReplaced` if the path of a selected source is or contains a link.
	 */
	async bind(mounts: readonly Mount[], isPinned: (path: string) => boolean): Promise<Mount[]> {
		const found = await Promise.all(
			mounts.map(async (mount) => {
				const [step, source, target] = mount;
				if (!binds.includes(step) || source === undefined || target === undefined) return undefined;
				return isPinned(source) ? { source, place: await this.#pin(source) } : undefined;
			}),
		);
		for (const [index, [step, ...words]] of mounts.entries()) {
			const pinned = found[index];
			const target = words.at(-1) ?? "";
			if (pinned?.place === "elsewhere") throw new PlaceReplaced(pinned.source);
			if (covers.includes(step) && pinned?.place !== "missing") this.#uncheck(target);
			if (typeof pinned?.place === "object") this.#bound.set(target, pinned.place.id);
		}
		return mounts.filter((_, index) => found[index]?.place !== "missing");
	}

	/**
	 * Returns a shell line for the sandbox. The line exits the shell if a recorded path no longer leads to the file or
	 * directory that was opened. The working directory is also checked if it was opened. `words` are the positional
	 * parameters of the line. The line removes them after the check. The check is necessary because bubblewrap resolves
	 * a path before it binds the path, and another program can change the path in between.
	 */
	async check(
		stat: string,
		cwd: string,
	): Promise<{ readonly line: string; readonly words: readonly string[] }> {
		const here = await this.#places.get(cwd);
		const all = definedItems([
			typeof here === "object" ? ([".", here.id] as const) : undefined,
			...this.#bound,
		]);
		if (all.length === 0) return { line: ":", words: [] };
		const parameters = all.map((_, index) => `"\${${index + 1}}"`).join(" ");
		const expected = all.map(([, id]) => id).join("\n");
		const isSame = `[ "$('${stat}' -c %d:%i -- ${parameters} 2>/dev/null)" = '${expected}' ]`;
		const line = `${isSame} || { echo '${REPLACED}'; exit 1; }; shift ${all.length}`;
		return { line, words: all.map(([path]) => path) };
	}

	/** Whether the path of an open directory still leads to the directory, without links. */
	async isSame(path: string): Promise<boolean> {
		const pinned = await this.#places.get(path);
		const found = await find(path);
		if (typeof found !== "object") return false;
		await found.handle.close();
		return typeof pinned === "object" && found.id === pinned.id;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const place of await Promise.allSettled(this.#places.values())) {
			if (place.status === "fulfilled" && typeof place.value === "object") await place.value.handle.close();
		}
	}

	#pin(path: string): Promise<Place | "missing" | "elsewhere"> {
		const known = this.#places.get(path);
		if (known !== undefined) return known;
		const place = find(path);
		this.#places.set(path, place);
		return place;
	}

	#uncheck(covered: string): void {
		for (const path of this.#bound.keys()) if (`${path}/`.startsWith(`${covered}/`)) this.#bound.delete(path);
	}
}

/**
 * Whether the check reported a replaced file or directory. `output` must not contain output of the command itself,
 * because a command could print the same text.
 */
function reportsReplaced(output: string): boolean {
	return output.includes(REPLACED);
}

/**
 * Opens the file or directory at the path. Returns `elsewhere` if the path is or contains a link. Returns `missing` if
 * there is no file, or if the gateway's user cannot reach it.
 */
async function find(path: string): Promise<Place | "missing" | "elsewhere"> {
	await using undo = new AsyncDisposableStack();
	const handle = undo.adopt(await openIfThere(path), (opened) => opened?.close());
	if (handle === undefined) return "missing";
	// The link in /proc contains the current path of the open file, with all links resolved: proc(5).
	if ((await readlink(`/proc/self/fd/${handle.fd}`)) !== path) return "elsewhere";
	const stats = await handle.stat({ bigint: true });
	if (stats.isSymbolicLink()) return "elsewhere";
	undo.move();
	return { handle, id: `${stats.dev}:${stats.ino}` };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
	try {
		return await open(path, FLAGS);
	} catch (reason) {
		if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(systemCode(reason))) return undefined;
		throw reason;
	}
}

/** Maximum attempts to start a command if other programs replace or remove files while the sandbox is built. */
const MAX_STARTS = 3;

/**
 * Resolves with the result of `start`. If `start` rejects with `PlaceReplaced`, the command has not run, and `start` is
 * called again. Calls `start` at most `MAX_STARTS` times.
 */
export async function retryIfReplaced<T>(start: () => Promise<T>): Promise<T> {
	for (let started = 1; ; started += 1) {
		try {
			return await start();
		} catch (reason) {
			if (!(reason instanceof PlaceReplaced) || started === MAX_STARTS) throw reason;
		}
	}
}

interface FailedStart {
	readonly command: Command;
	readonly outcome: CommandOutcome;
	/** Paths that appear empty in the sandbox. Bubblewrap fails if one of the paths was deleted. */
	readonly covers: readonly string[];
	/** Reports the failure: see `Bubblewrap.failedToStart`. */
	failedToStart(): Promise<void>;
}

/**
 * Handles a command that never began, in this order:
 * 1. Throws `PlaceReplaced` if a bound place was replaced.
 * 2. Returns if the command was cancelled or its time limit passed.
 * 3. Throws `PlaceReplaced` if a cover was deleted.
 * 4. Calls `failedToStart`, and then throws unless the exit code is 0.
 */
export async function throwReason({ command, outcome, covers, failedToStart }: FailedStart): Promise<void> {
	if (reportsReplaced(outcome.output)) throw new PlaceReplaced();
	if (outcome.timedOut || command.signal.aborted) return;
	const missing = await firstMissing(covers);
	if (missing !== undefined) throw new PlaceReplaced(missing);
	await failedToStart();
	if (outcome.code !== 0) throw notBuilt(outcome);
}

async function firstMissing(paths: readonly string[]): Promise<string | undefined> {
	const found = await Promise.all(paths.map((path) => ifThere(lstat(path))));
	return paths[found.indexOf(undefined)];
}

/** Returns the error for a failed setup of a sandbox. */
function notBuilt({ output, code, signal }: Omit<CommandOutcome, "timedOut">): SandboxNotSetUp {
	const [, known] = /(?:bwrap|parley|keyctl_join_session_keyring): (.*)/.exec(output) ?? [];
	// A successful keyctl(1) prints a line that is not a reason.
	const lines = output
		.split("\n")
		.filter((one) => one.trim() !== "" && !one.startsWith("Joined session keyring"));
	// The last line of the output usually contains the reason.
	const reason = known ?? lines.at(-1) ?? rootTexts.ended(signal ?? `code ${code}`);
	return new SandboxNotSetUp(reason);
}

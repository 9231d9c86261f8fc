import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { systemCode } from "../../filesystem/file-error.ts";
import { replacedDirectory } from "../../filesystem/paths.ts";
import { ifThere } from "./if-there.ts";
import type { Mount } from "./system-layout.ts";

/** O_PATH identifies a file without a right to read it. With O_NOFOLLOW a link is opened itself: open(2). */
const FLAGS = 0o10000000 | constants.O_NOFOLLOW;
const binds: readonly (string | undefined)[] = ["--bind", "--ro-bind", "--ro-bind-try"];
/** Steps that put something else at the path of an earlier one. */
const covers: readonly (string | undefined)[] = [...binds, "--perms", "--tmpfs"];
/** Output of the check if another file is at one of the paths. Nothing of a command was written before it. */
const REPLACED = "parley: a directory was replaced while the sandbox was built";

/** Error for a file or directory of the roots that another program replaced or removed while the sandbox was built. */
export class PlaceReplaced extends ParleyError {
	constructor(path?: string) {
		const what = path === undefined ? "a file or directory of its roots" : JSON.stringify(path);
		super(
			`Cannot run the command: ${what} was replaced or removed while the sandbox was built. Nothing was run. ` +
				"Try again when no other command changes this directory.",
			{ code: "aborted" },
		);
	}
}

/** A file or directory that is held open, and its device and inode as stat(1) prints them. */
interface Place {
	readonly handle: FileHandle;
	readonly id: string;
}

/** Files and directories that are held open, so that their device and inode numbers stay theirs. Linux only. */
export class PinnedPlaces implements AsyncDisposable {
	readonly #places = new Map<string, Promise<Place | "missing" | "elsewhere">>();
	/** Device and inode that must be at a path inside. */
	readonly #bound = new Map<string, string>();

	/**
	 * Holds a directory in which a command runs or that it may change. `role` names it in errors. Throws
	 * `failed_precondition` if it is missing, or if the path is a symbolic link or leads through one.
	 */
	async hold(path: string, role: "root" | "working directory"): Promise<void> {
		if (await this.tryHold(path)) return;
		throw replacedDirectory(path, role, await ifThere(realpath(path)));
	}

	/** Holds a directory if it is at this very path. */
	async tryHold(path: string): Promise<boolean> {
		return typeof (await this.#pin(path)) === "object";
	}

	/**
	 * Returns the steps without those whose source is missing, and remembers the sources that `isPinned` selects for
	 * `check`. Throws `PlaceReplaced` if one of them is reached through a link.
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
	 * Shell line for the inside that ends the shell unless everything that was bound, and the working directory, is what
	 * is held; `words` are its positional parameters, which it removes. Bubblewrap resolves a path before it binds it, so
	 * another program can change the path in between.
	 */
	async check(
		stat: string,
		cwd: string,
	): Promise<{ readonly line: string; readonly words: readonly string[] }> {
		const here = await this.#places.get(cwd);
		const all = [...(typeof here === "object" ? [[".", here.id] as const] : []), ...this.#bound];
		if (all.length === 0) return { line: ":", words: [] };
		const parameters = all.map((_, index) => `"\${${index + 1}}"`).join(" ");
		const expected = all.map(([, id]) => id).join("\n");
		const isSame = `[ "$('${stat}' -c %d:%i -- ${parameters} 2>/dev/null)" = '${expected}' ]`;
		const line = `${isSame} || { echo '${REPLACED}'; exit 1; }; shift ${all.length}`;
		return { line, words: all.map(([path]) => path) };
	}

	/** Whether a path that is held still leads to the same directory, without links. */
	async isSame(path: string): Promise<boolean> {
		const held = await this.#places.get(path);
		const found = await find(path);
		if (typeof found !== "object") return false;
		await found.handle.close();
		return typeof held === "object" && found.id === held.id;
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

/** Whether the sandbox ended because `check` found another file. `output` is that of a command that never began. */
export function foundReplaced(output: string): boolean {
	return output.includes(REPLACED);
}

/** Opens the file or directory that is at a path itself. `elsewhere`: the path is a link, or leads through one. */
async function find(path: string): Promise<Place | "missing" | "elsewhere"> {
	await using undo = new AsyncDisposableStack();
	const handle = undo.adopt(await openIfThere(path), (opened) => opened?.close());
	if (handle === undefined) return "missing";
	// proc(5): the link has the path at which the open file is now, with all links resolved.
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

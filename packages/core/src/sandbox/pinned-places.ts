import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { systemCode } from "../tools/file-error.ts";
import { replacedDirectory } from "../tools/paths.ts";
import { ifThere } from "./if-there.ts";
import type { Mount } from "./system-layout.ts";

/** O_PATH identifies a file without a right to read it. With O_NOFOLLOW a link is opened itself: open(2). */
const FLAGS = 0o10000000 | constants.O_NOFOLLOW;
const binds: readonly (string | undefined)[] = ["--bind", "--ro-bind", "--ro-bind-try"];
/** Steps that put something else at the path of an earlier one. */
const covers: readonly (string | undefined)[] = [...binds, "--tmpfs"];
/** Output of the check if another file is at one of the paths. Nothing of a command was written before it. */
const REPLACED = "parley: a directory was replaced while the sandbox was built";

/** Error for a file or directory of the roots that another program replaced while the sandbox was built. */
export class PlaceReplaced extends ParleyError {
	constructor(path?: string) {
		const what = path === undefined ? "a file or directory of its roots" : JSON.stringify(path);
		super(
			`Cannot run the command: ${what} was replaced while the sandbox was built. Nothing was run. ` +
				"Try again when no other command changes this directory.",
			{ code: "aborted" },
		);
	}
}

/** Files and directories that are held open, so that their device and inode numbers stay theirs. Linux only. */
export class PinnedPlaces implements AsyncDisposable {
	readonly #held = new Map<string, { readonly handle: FileHandle; readonly id: string }>();
	/** Paths that must be the same inside. */
	readonly #bound = new Set<string>();

	/**
	 * Holds a directory in which a command runs or that it may change. `role` names it in errors. Throws
	 * `failed_precondition` if it is missing, or if the path is a symbolic link or leads through one.
	 */
	async hold(path: string, role: "root" | "working directory"): Promise<void> {
		const found = await this.#pin(path);
		if (found === "held") return;
		throw replacedDirectory(path, role, await ifThere(realpath(path)));
	}

	/**
	 * Returns the steps without those whose source is missing, and remembers the sources that `isPinned` selects for
	 * `check`. Throws `PlaceReplaced` if one of them is reached through a link.
	 */
	async bind(mounts: readonly Mount[], isPinned: (path: string) => boolean): Promise<Mount[]> {
		const found = await Promise.all(
			mounts.map(async (mount) => {
				const [step, source, target] = mount;
				if (!binds.includes(step) || source === undefined || source !== target) return undefined;
				return isPinned(source) ? { path: source, state: await this.#pin(source) } : undefined;
			}),
		);
		for (const [index, [step, ...words]] of mounts.entries()) {
			const pinned = found[index];
			if (pinned?.state === "elsewhere") throw new PlaceReplaced(pinned.path);
			if (pinned?.state === "held") this.#bound.add(pinned.path);
			else if (covers.includes(step)) this.#uncheck(words.at(-1) ?? "");
		}
		return mounts.filter((_, index) => found[index]?.state !== "missing");
	}

	/**
	 * Shell line for the inside that ends the shell unless everything that was bound, and the working directory, is what
	 * is held; `words` are its positional parameters, which it removes. Bubblewrap resolves a path before it binds it, so
	 * another program can change the path in between.
	 */
	check(stat: string, cwd: string): { readonly line: string; readonly words: readonly string[] } {
		const paths = [...this.#bound].map((path) => ({ path, id: this.#held.get(path)?.id }));
		const here = this.#held.get(cwd);
		const all = here === undefined ? paths : [{ path: ".", id: here.id }, ...paths];
		if (all.length === 0) return { line: ":", words: [] };
		const parameters = all.map((_, index) => `"\${${index + 1}}"`).join(" ");
		const expected = all.map(({ id }) => id).join("\n");
		const isSame = `[ "$('${stat}' -c %d:%i -- ${parameters} 2>/dev/null)" = '${expected}' ]`;
		const line = `${isSame} || { echo '${REPLACED}'; exit 1; }; shift ${all.length}`;
		return { line, words: all.map(({ path }) => path) };
	}

	/** Whether a path that is held still leads to the same directory, without links. */
	async isSame(path: string): Promise<boolean> {
		await using found = await openExactly(path);
		return found !== undefined && found.id === this.#held.get(path)?.id;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#held.values()].map(({ handle }) => handle.close()));
		this.#held.clear();
	}

	async #pin(path: string): Promise<"held" | "missing" | "elsewhere"> {
		if (this.#held.has(path)) return "held";
		const found = await openExactly(path);
		if (found) {
			this.#held.set(path, found);
			return "held";
		}
		return (await ifThere(realpath(path))) === undefined ? "missing" : "elsewhere";
	}

	#uncheck(covered: string): void {
		for (const path of this.#bound) if (`${path}/`.startsWith(`${covered}/`)) this.#bound.delete(path);
	}
}

/** Whether the sandbox ended because `check` found another file. `output` is that of a command that never began. */
export function foundReplaced(output: string): boolean {
	return output.includes(REPLACED);
}

/** Opens the file or directory that is at a path itself; undefined if none is, or if the path leads through a link. */
async function openExactly(path: string) {
	const handle = await openIfThere(path);
	if (handle === undefined) return undefined;
	// proc(5): the link has the path at which the open file is now, with all links resolved.
	const [at, stats] = await Promise.all([
		readlink(`/proc/self/fd/${handle.fd}`),
		handle.stat({ bigint: true }),
	]);
	if (at !== path || stats.isSymbolicLink()) {
		await handle.close();
		return undefined;
	}
	const close = (): Promise<void> => handle.close();
	return { handle, id: `${stats.dev}:${stats.ino}`, [Symbol.asyncDispose]: close };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
	try {
		return await open(path, FLAGS);
	} catch (reason) {
		if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(systemCode(reason))) return undefined;
		throw reason;
	}
}

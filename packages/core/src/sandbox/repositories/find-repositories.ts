import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "../../tools/paths.ts";
import { ifThere } from "../if-there.ts";
import { skipped } from "../walk.ts";
import { followPointer, type GitDirectory, isGitShaped, readGitDirectory } from "./git-directory.ts";

/** What is looked at before every command and after it: a tenth of a second or two, on a slow machine. */
const MAX_ENTRIES = 20_000;
const AT_ONCE = 16;

/** Where to look. Paths are real. */
export interface Ground {
	readonly roots: readonly string[];
	/** Directories in the roots that are looked at whatever the bound. */
	readonly surely: readonly string[];
	/** What commands do not see, but for roots in it. */
	readonly hidden: readonly string[];
	/** Whether the time to look is over. */
	isLate(): boolean;
}

/** The repositories of the roots, those nearest to a root first. */
export interface Repositories {
	readonly directories: readonly GitDirectory[];
	/** Plain files named `.git`, which say where the repository is. */
	readonly pointers: readonly string[];
	/** The directories with a `.git` in them: their device and inode. */
	readonly tops: ReadonlyMap<string, string>;
	/** Whether all of the roots was looked at, but for directories of packages, into which nobody looks. */
	readonly whole: boolean;
}

/** Whether commands may change what is there, as far as roots and what is hidden decide. */
export function isOpen(path: string, { roots, hidden }: Pick<Ground, "roots" | "hidden">): boolean {
	const covers = hidden.filter((place) => isWithin(path, place));
	return roots.some((root) => isWithin(path, root) && covers.every((place) => isWithin(root, place)));
}

/** Links are followed only where git would follow them, and no further than the roots. */
export async function findRepositories(ground: Ground): Promise<Repositories> {
	const search = new Search(ground);
	for (const path of ground.surely) await search.look(path);
	await search.walk();
	return search;
}

/** Below `modules` and `worktrees` of a repository each directory may become one. */
interface Place {
	readonly path: string;
	readonly ofParts: boolean;
}

class Search implements Repositories {
	readonly #ground: Ground;
	readonly #queue: Place[];
	readonly #found = new Map<string, GitDirectory>();
	readonly pointers: string[] = [];
	readonly tops = new Map<string, string>();
	#left = MAX_ENTRIES;
	#shut = false;

	constructor(ground: Ground) {
		this.#ground = ground;
		this.#queue = ground.roots.map((path) => ({ path, ofParts: false }));
	}

	get directories(): GitDirectory[] {
		return [...this.#found.values()];
	}

	get whole(): boolean {
		return this.#queue.length === 0 && !this.#shut;
	}

	/** At one directory alone, for what is there of git. */
	async look(path: string): Promise<void> {
		if (this.#isOpen(path)) await this.#lookAt(path, new Set((await ifThere(readdir(path))) ?? []));
	}

	/** Level by level. What is left in the queue has not been looked at. */
	async walk(): Promise<void> {
		while (this.#queue.length > 0 && this.#left > 0 && !this.#ground.isLate()) {
			const places = this.#queue.splice(0, AT_ONCE);
			const all = await Promise.all(places.map(({ path }) => this.#entriesOf(path)));
			for (const [index, place] of places.entries()) {
				const entries = all[index] ?? [];
				this.#left -= entries.length;
				const isRepository = await this.#lookAt(place.path, new Set(entries.map(({ name }) => name)));
				const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
				if (place.ofParts) for (const name of inner) await this.#add(join(place.path, name));
				if (!isRepository) this.#enqueue(place.path, inner);
			}
		}
	}

	/** What a command has shut it may open again later; what is another user's it cannot change. */
	async #entriesOf(path: string): Promise<Dirent[]> {
		const entries = await ifThere(readdir(path, { withFileTypes: true }));
		if (entries) return entries;
		const stats = await ifThere(lstat(path));
		if (stats?.isDirectory() && stats.uid === process.getuid?.()) this.#shut = true;
		return [];
	}

	#enqueue(path: string, names: readonly string[]): void {
		for (const name of names) {
			const inner = join(path, name);
			if (!skipped.includes(name) && this.#isOpen(inner)) this.#queue.push({ path: inner, ofParts: false });
		}
	}

	/** Whether the directory is a repository itself. */
	async #lookAt(path: string, names: ReadonlySet<string>): Promise<boolean> {
		if (names.has(".git")) await this.#lookAtGit(join(path, ".git"));
		const shaped = isGitShaped(names);
		if (shaped) await this.#add(path);
		return shaped;
	}

	async #lookAtGit(git: string): Promise<void> {
		const [top, stats] = await Promise.all([ifThere(lstat(dirname(git))), ifThere(lstat(git))]);
		if (!top || !stats || this.tops.has(dirname(git))) return;
		this.tops.set(dirname(git), `${top.dev}:${top.ino}`);
		if (stats.isDirectory()) return this.#add(git);
		if (stats.isFile()) this.pointers.push(git);
		const followed = await ifThere(stat(git));
		const target = followed?.isDirectory() ? ifThere(realpath(git)) : followPointer(git, "gitdir: ");
		await this.#addThere(await target);
	}

	async #addThere(path: string | undefined): Promise<void> {
		if (path !== undefined && this.#isOpen(path)) await this.#add(path);
	}

	async #add(path: string): Promise<void> {
		if (this.#found.has(path)) return;
		const directory = await readGitDirectory(path);
		if (!directory) return;
		this.#found.set(path, directory);
		for (const name of ["modules", "worktrees"]) {
			this.#queue.push({ path: join(path, name), ofParts: true });
		}
		if (directory.parts.has("commondir")) {
			await this.#addThere(await followPointer(join(path, "commondir"), ""));
		}
	}

	#isOpen(path: string): boolean {
		return isOpen(path, this.#ground);
	}
}

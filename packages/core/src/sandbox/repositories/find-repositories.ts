import { isUtf8 } from "node:buffer";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemCode } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { ifThere } from "../bubblewrap/if-there.ts";
import { followPointer, type GitDirectory, isGitShaped, readGitDirectory } from "./git-directory.ts";

/** What is looked at before every command and after it: a tenth of a second or two, on a slow machine. */
const MAX_ENTRIES = 20_000;
const AT_ONCE = 16;
/** Other people's published packages, and what git keeps, into which repositories are followed. */
const skipped = ["node_modules", ".git"];
/** In the parts of a repository: nothing in these is one. */
const stores = ["objects", "refs", "hooks", "info", "logs"];

/** Directories of this gateway and of other agents. */
const ofAgents = [".parley", ".claude"];

/** Directories to search. Paths are real. */
export interface Ground {
	readonly roots: readonly string[];
	/** Directories in the roots that are searched in any case. */
	readonly surely: readonly string[];
	/** Directories that commands do not see, except for roots in them. */
	readonly hidden: readonly string[];
	/** Whether the time for the search is over. */
	isLate(): boolean;
}

/** The repositories of the roots, those nearest to a root first. */
export interface Repositories {
	readonly directories: readonly GitDirectory[];
	/** Plain files named `.git`, which contain the path of the repository. */
	readonly pointers: readonly string[];
	/** Device and inode of each directory that contains a `.git`. */
	readonly tops: ReadonlyMap<string, string>;
	/** Directories named `.parley` and `.claude`, which hold skills. */
	readonly ofAgents: ReadonlySet<string>;
	/** Directories that were not searched because of the limits. */
	readonly beyond: ReadonlySet<string>;
	/** Directories that could not be read, or whose names are no text. */
	readonly unread: ReadonlySet<string>;
}

/** Whether a path lies in a root and is not hidden. */
export function isOpen(path: string, { roots, hidden }: Pick<Ground, "roots" | "hidden">): boolean {
	const covers = hidden.filter((place) => isWithin(path, place));
	return roots.some((root) => isWithin(path, root) && covers.every((place) => isWithin(root, place)));
}

/** Whether the search would have found a repository at a path. */
export function wasSeen(path: string, { beyond, unread }: Pick<Repositories, "beyond" | "unread">): boolean {
	if (beyond.has(path) || unread.has(path)) return false;
	return path === dirname(path) || wasSeen(dirname(path), { beyond, unread });
}

/** Links are followed only where git would follow them, and no further than the roots. */
export async function findRepositories(ground: Ground): Promise<Repositories> {
	const search = new Search(ground);
	for (const path of ground.surely) await search.look(path);
	await search.walk();
	return search;
}

interface Entries {
	readonly names: ReadonlySet<string>;
	/** Of those the directories. */
	readonly directories: readonly string[];
}

const nothing: Entries = { names: new Set(), directories: [] };

/** Below `modules` and `worktrees` of a repository each directory may become one. */
interface Place {
	readonly path: string;
	readonly ofParts: boolean;
	/** Whether it is in a repository's own files. */
	readonly inGit: boolean;
}

class Search implements Repositories {
	readonly #ground: Ground;
	readonly #queue: Place[];
	readonly #found = new Map<string, GitDirectory>();
	readonly pointers: string[] = [];
	readonly tops = new Map<string, string>();
	readonly ofAgents = new Set<string>();
	#left = MAX_ENTRIES;
	readonly unread = new Set<string>();

	constructor(ground: Ground) {
		this.#ground = ground;
		this.#queue = ground.roots.map((path) => ({ path, ofParts: false, inGit: false }));
	}

	get directories(): GitDirectory[] {
		return [...this.#found.values()];
	}

	get beyond(): Set<string> {
		return new Set(this.#queue.map(({ path }) => path));
	}

	/** At one directory alone, for what is there of git. */
	async look(path: string): Promise<void> {
		// A link may have replaced it, or a directory above it.
		if (!this.#isOpen(path) || (await ifThere(realpath(path))) !== path) return;
		await this.#lookAt(path, (await this.#entriesOf(path)).names);
	}

	/** Level by level. What is left in the queue has not been looked at. */
	async walk(): Promise<void> {
		while (this.#queue.length > 0 && this.#left > 0 && !this.#ground.isLate()) {
			const places = this.#queue.splice(0, AT_ONCE);
			const all = await Promise.all(places.map(({ path }) => this.#entriesOf(path)));
			for (const [index, place] of places.entries()) await this.#visit(place, all[index] ?? nothing);
		}
	}

	async #visit(place: Place, { names, directories }: Entries): Promise<void> {
		this.#left -= names.size;
		await this.#lookAt(place.path, names);
		for (const name of place.inGit ? [] : directories) {
			const inner = join(place.path, name);
			if (ofAgents.includes(name) && this.#isOpen(inner)) this.ofAgents.add(inner);
		}
		if (place.ofParts) for (const name of directories) await this.#add(join(place.path, name));
		// Also below a directory with the shape of a repository, because a command can make such a shape.
		const isStore = place.inGit && isGitShaped(names);
		this.#enqueue(place, isStore ? directories.filter((name) => !stores.includes(name)) : directories);
	}

	/** An unreadable directory of this user can be opened again by a command; one of another user cannot be changed. */
	async #entriesOf(path: string): Promise<Entries> {
		try {
			const entries = await readdir(path, { withFileTypes: true, encoding: "buffer" });
			const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
			for (const name of inner) if (!isUtf8(name)) this.unread.add(join(path, name.toString()));
			const directories = inner.filter((name) => isUtf8(name)).map(String);
			return { names: new Set(entries.map(({ name }) => name.toString())), directories };
		} catch (reason) {
			const stats = await lstat(path).catch(() => undefined);
			const isForeign = stats !== undefined && stats.uid !== process.getuid?.();
			if (!["ENOENT", "ENOTDIR"].includes(systemCode(reason)) && !isForeign) this.unread.add(path);
			return nothing;
		}
	}

	#enqueue({ path, inGit }: Place, names: readonly string[]): void {
		for (const name of names) {
			const inner = join(path, name);
			if (skipped.includes(name) || !this.#isOpen(inner)) continue;
			this.#queue.push({ path: inner, ofParts: false, inGit });
		}
	}

	async #lookAt(path: string, names: ReadonlySet<string>): Promise<void> {
		try {
			if (names.has(".git")) await this.#lookAtGit(join(path, ".git"));
			if (isGitShaped(names)) await this.#add(path);
		} catch {
			this.unread.add(path);
		}
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
		const directory = await readGitDirectory(path).catch(() => "unread" as const);
		if (directory === "unread") this.unread.add(path);
		if (!directory || directory === "unread") return;
		this.#found.set(path, directory);
		for (const name of ["modules", "worktrees"]) {
			this.#queue.push({ path: join(path, name), ofParts: true, inGit: true });
		}
		if (directory.parts.has("commondir")) {
			await this.#addThere(await followPointer(join(path, "commondir"), ""));
		}
	}

	#isOpen(path: string): boolean {
		return isOpen(path, this.#ground);
	}
}

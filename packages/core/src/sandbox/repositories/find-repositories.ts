import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { lstat, open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ifThere, isNotFound } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";

/**
 * Number of directory entries after which a search stops. A search runs before and after each command. It takes up to
 * 0.2 s on a slow machine to read 20,000 entries.
 */
const MAX_ENTRIES = 20_000;
const AT_ONCE = 16;
/** Names of directories that `walk` does not enter. A `.git` directory is examined separately. */
const skipped = ["node_modules", ".git"];
/** Names of directories in a repository. The directories contain no further repositories. */
const stores = ["objects", "refs", "hooks", "info", "logs"];

/** Names of directories that may contain skills for Parley or for another agent. */
const ofAgents = [".parley", ".claude"];

/** Directories to search. All paths are real paths. */
export interface SearchScope extends SearchLimits {
	/** Directories that are always inspected, even after a limit is reached. Their subdirectories are not included. */
	readonly required: readonly string[];
	/** Whether the time for the search is over. */
	isLate(): boolean;
}

interface SearchLimits {
	readonly roots: readonly string[];
	/** Hidden directories. In a hidden directory, commands see only roots. */
	readonly hidden: readonly string[];
}

/** Repositories in the roots. Repositories in the required directories come first, and then those nearest to a root. */
export interface Repositories extends Unsearched {
	readonly directories: readonly GitDirectory[];
	/** Paths of regular files named `.git`. Such a file contains the path of a repository. */
	readonly pointers: readonly string[];
	/** Directories that contain a `.git`. Key: path. Value: device and inode. */
	readonly tops: ReadonlyMap<string, string>;
	/** Directories named `.parley` or `.claude`, which may contain skills. */
	readonly ofAgents: ReadonlySet<string>;
}

interface Unsearched {
	/** Directories that were not searched because a limit was reached. */
	readonly beyond: ReadonlySet<string>;
	/**
	 * Directories that the search could not read. Includes directories with names that are not valid UTF-8. Does not
	 * include unreadable directories that belong to other users.
	 */
	readonly unread: ReadonlySet<string>;
}

/** Whether a path is in a root and visible to commands. */
export function isVisiblePath(path: string, { roots, hidden }: SearchLimits): boolean {
	const covers = hidden.filter((place) => isWithin(path, place));
	return roots.some((root) => isWithin(path, root) && covers.every((place) => isWithin(root, place)));
}

/**
 * Whether the search would have found a repository at the path, because the search could read the path and all its
 * parents.
 */
export function wasSearched(path: string, { beyond, unread }: Unsearched): boolean {
	if (beyond.has(path) || unread.has(path)) return false;
	return path === dirname(path) || wasSearched(dirname(path), { beyond, unread });
}

/**
 * Finds the repositories in the roots, within the limits. Follows a link only if git would follow the link, and only if
 * the target is in the roots.
 */
export async function findRepositories(scope: SearchScope): Promise<Repositories> {
	const search = new Search(scope);
	for (const path of scope.required) await search.inspect(path);
	await search.walk();
	return search;
}

interface Entries {
	readonly names: ReadonlySet<string>;
	readonly directories: readonly string[];
}

const nothing: Entries = { names: new Set(), directories: [] };

/**
 * Directory to search. If `ofParts` is true, the directory is `modules` or `worktrees` of a repository, and each
 * directory in it may be a repository.
 */
interface Place {
	readonly path: string;
	readonly ofParts: boolean;
	/** Whether the place is inside a git directory. */
	readonly inGit: boolean;
}

class Search implements Repositories {
	readonly #scope: SearchScope;
	readonly #queue: Place[];
	readonly #found = new Map<string, GitDirectory>();
	readonly pointers: string[] = [];
	readonly tops = new Map<string, string>();
	readonly ofAgents = new Set<string>();
	#left = MAX_ENTRIES;
	readonly unread = new Set<string>();

	constructor(scope: SearchScope) {
		this.#scope = scope;
		this.#queue = scope.roots.map((path) => ({ path, ofParts: false, inGit: false }));
	}

	get directories(): GitDirectory[] {
		return [...this.#found.values()];
	}

	get beyond(): Set<string> {
		return new Set(this.#queue.map(({ path }) => path));
	}

	/** Records the git files of one directory, without its subdirectories. */
	async inspect(path: string): Promise<void> {
		// The directory or one of its parents may have been replaced by a link.
		if (!this.#isOpen(path) || (await ifThere(realpath(path))) !== path) return;
		await this.#inspectDirectory(path, (await this.#entriesOf(path)).names);
	}

	/** Searches the queued directories level by level. Directories that remain in the queue were not searched. */
	async walk(): Promise<void> {
		while (this.#queue.length > 0 && this.#left > 0 && !this.#scope.isLate()) {
			const places = this.#queue.splice(0, AT_ONCE);
			const all = await Promise.all(places.map(({ path }) => this.#entriesOf(path)));
			for (const [index, place] of places.entries()) await this.#visit(place, all[index] ?? nothing);
		}
	}

	async #visit(place: Place, { names, directories }: Entries): Promise<void> {
		this.#left -= names.size;
		await this.#inspectDirectory(place.path, names);
		for (const name of place.inGit ? [] : directories) {
			const inner = join(place.path, name);
			if (ofAgents.includes(name) && this.#isOpen(inner)) this.ofAgents.add(inner);
		}
		if (place.ofParts) for (const name of directories) await this.#add(join(place.path, name));
		// Directories below a directory that looks like a repository are also searched, because a command can create a
		// directory that looks like a repository.
		const isStore = place.inGit && isGitShaped(names);
		this.#enqueue(place, isStore ? directories.filter((name) => !stores.includes(name)) : directories);
	}

	/**
	 * Resolves with the entries of the directory `path`. Records the following directories in `unread`:
	 * - `path`, if the directory is unreadable and does not belong to another user; a command could make the directory
	 *   readable again
	 * - each subdirectory with a name that is not valid UTF-8
	 */
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
			if (!isNotFound(reason) && !isForeign) this.unread.add(path);
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

	async #inspectDirectory(path: string, names: ReadonlySet<string>): Promise<void> {
		try {
			if (names.has(".git")) await this.#inspectGit(join(path, ".git"));
			if (isGitShaped(names)) await this.#add(path);
		} catch {
			this.unread.add(path);
		}
	}

	async #inspectGit(git: string): Promise<void> {
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
		return isVisiblePath(path, this.#scope);
	}
}

/**
 * Names of the examined parts of a repository. The parts can contain or name programs that git runs, or can name
 * another repository.
 */
const steering = ["hooks", "config", "config.worktree", "commondir"] as const;
export type Steering = (typeof steering)[number];

/**
 * Maximum bytes that are read from a `.git` or `commondir` file. A path on Linux is shorter:
 * https://man7.org/linux/man-pages/man7/path_resolution.7.html
 */
const POINTER_BYTES = 8 * 1024;
/** Maximum entries of a hooks directory for which the fingerprint contains each entry. */
const MAX_HOOKS = 200;

/** A git directory: the git directory of a repository, of a submodule or of a linked working tree. */
export interface GitDirectory {
	/** Real path of the directory. */
	readonly path: string;
	/** Device and inode. They stay the same when the directory is renamed. */
	readonly id: string;
	/** Creation time, or 0 if the file system does not record it. */
	readonly createdMs: number;
	/** Whether `HEAD` exists, as in every repository. */
	readonly complete: boolean;
	readonly parts: ReadonlyMap<Steering, Part>;
}

interface Part {
	readonly isLink: boolean;
	/**
	 * Fingerprint of the part, without example hooks. The fingerprint includes `ctime`, because no command can set the
	 * `ctime` of a file.
	 */
	readonly print: string;
}

/** Resolves with the state of a git directory, or with undefined if the path is not a directory. */
async function readGitDirectory(path: string): Promise<GitDirectory | undefined> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return undefined;
	const states = await Promise.all(
		steering.map(async (name) => {
			const part = await readPart(join(path, name));
			return part ? [[name, part] as const] : [];
		}),
	);
	return {
		path,
		id: `${stats.dev}:${stats.ino}`,
		createdMs: stats.birthtimeMs,
		complete: (await ifThere(lstat(join(path, "HEAD")))) !== undefined,
		parts: new Map(states.flat()),
	};
}

async function readPart(path: string): Promise<Part | undefined> {
	const own = await ifThere(lstat(path));
	if (!own) return undefined;
	const isLink = own.isSymbolicLink();
	const link = isLink ? ((await ifThere(readlink(path))) ?? "") : "";
	const names = (await ifThere(stat(path)))?.isDirectory() ? ((await ifThere(readdir(path))) ?? []) : [];
	// If there are more than `MAX_HOOKS` entries, the fingerprint contains only the metadata of the directory.
	const inner = names.length > MAX_HOOKS ? ["."] : names.filter((name) => !name.endsWith(".sample"));
	const prints = await Promise.all((names.length > 0 ? inner : ["."]).map((name) => printOf(path, name)));
	return { isLink, print: [link, ...prints].join("\n") };
}

async function printOf(directory: string, name: string): Promise<string> {
	const path = join(directory, name);
	const stats = await ifThere(stat(path, { bigint: true })).then(
		(there) => there ?? ifThere(lstat(path, { bigint: true })),
	);
	if (!stats) return name;
	const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
	return [name, dev, ino, mode, size, mtimeNs, ctimeNs].join(":");
}

/**
 * Whether git accepts a directory with the entries `names` as a repository:
 * https://git-scm.com/docs/gitrepository-layout
 */
function isGitShaped(names: { has(name: string): boolean }): boolean {
	return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

/**
 * Returns the real path of the target that the file `path` names after `prefix`. Returns undefined if the file or its
 * target does not exist, or if the file does not begin with `prefix`.
 */
async function followPointer(path: string, prefix: string): Promise<string | undefined> {
	const real = await ifThere(realpath(path));
	if (real === undefined) return undefined;
	const text = await readStart(real, POINTER_BYTES);
	if (!text?.startsWith(prefix)) return undefined;
	const target = text.slice(prefix.length).replace(/[\r\n]+$/, "");
	return target.includes("\0") ? undefined : await ifThere(realpath(resolve(dirname(path), target)));
}

/**
 * Resolves with the first `bytes` bytes of a regular file as text. Resolves with undefined if `path` is not a regular
 * file, or if the gateway's user cannot read it. Does not follow a link, and does not wait for the writer of a named
 * pipe.
 */
export async function readStart(path: string, bytes: number): Promise<string | undefined> {
	const file = await ifThere(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
	if (!file) return undefined;
	try {
		if (!(await file.stat()).isFile()) return undefined;
		const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
		return buffer.toString("utf8", 0, bytesRead);
	} finally {
		await file.close();
	}
}

/**
 * Whether the hooks directory at `path` may contain hooks other than examples. Also true if the path exists but is not
 * a directory or cannot be read.
 */
export async function hasHooks(path: string): Promise<boolean> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return stats !== undefined;
	const names = await ifThere(readdir(path));
	return names === undefined || names.some((name) => !name.endsWith(".sample"));
}

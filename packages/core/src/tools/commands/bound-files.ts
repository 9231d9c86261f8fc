import { hash } from "node:crypto";
import {
	type BigIntStats,
	closeSync,
	constants,
	type Dirent,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readlinkSync,
	readSync,
	realpathSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "@parley/base";
import { systemCode } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import type { FilesFact } from "../../vocabulary/tool.ts";

/** Limits of one scan. Entries are files and directories. */
const MAX_ENTRIES = 30_000;
const MAX_HASHED_BYTES = 32 * 1024 * 1024;
const MAX_MS = 3_000;
/** Maximum milliseconds of a scan that is compared with an earlier scan. The comparison decides whether the command runs. */
const MAX_SECOND_MS = 10_000;
/** Maximum bytes of a file that is identified by content. A larger file is identified by metadata. */
const MAX_FILE_BYTES = 256 * 1024;
/**
 * Number of entries to read before the scan yields to other work. The file system calls are synchronous, because
 * synchronous calls use less CPU time.
 */
const TOGETHER = 64;

/**
 * Directories of installed or built code. A scan reads them last, without content, and returns one line for
 * each directory.
 */
const installed = /^(?:node_modules|bower_components|site-packages|\.venv|venv|\.tox|Pods|target)$/;
/** Directories of caches, editor settings and version control that tools write automatically. */
const caches =
	/^(?:\.cache|\.vite|\.turbo|\.parcel-cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.nyc_output|\.gradle|\.idea|\.hg|\.svn)$/;
/** Files that programs change without a user, for example logs, databases and editor backups. */
const data =
	/\.log(?:\.\d+)?$|\.pid$|\.(?:sqlite3?|db)(?:-(?:wal|shm|journal))?$|\.sw[a-p]$|~$|^(?:\.DS_Store|\.#.*|4913|nohup\.out)$/i;
const documents =
	/\.(?:txt|md|rst|csv|tsv|pdf|docx?|xlsx?|pptx?|odt|ods|png|jpe?g|gif|webp|ico|bmp|mp[34]|wav|ogg|mov|webm)$/i;
/** Text files that package managers or CMake read. */
const instructions = /^(?:requirements|constraints|CMakeLists).*\.txt$/i;
/** Directories in a git directory that contain neither programs nor settings. */
const gitData = /^(?:objects|refs|logs|lfs)$/;
/** Files in a git directory that can name programs. Hooks are not in this pattern. */
const gitSettings = /^(?:config|config\.worktree|attributes|git-rebase-todo)$/;

export interface BoundFilesOptions {
	readonly clock: Clock;
	/** Whether to skip the path and all paths below it. */
	readonly skips: (path: string) => boolean;
	/** Additional directories in which the target of a link is identified. */
	readonly roots: readonly string[];
	/** Whether to skip names that begin with a dot. */
	readonly hidden: boolean;
	/** Prefix of the paths in the result. */
	readonly prefix: string;
	/** Facts of an earlier scan. If a limit ended that scan, the new scan reads at most as many entries as that scan. */
	readonly earlier?: string;
	/** Maximum files and directories, unless `earlier` sets it. Default: 30,000. */
	readonly max?: number;
}

/** Whether the name is that of a data file, for example a document, an image, a log or a database. */
export function isDataName(name: string): boolean {
	return data.test(name) || (documents.test(name) && !instructions.test(name));
}

/**
 * Identifies the files below a directory that a program could run or load. Reads at most 30,000 files and directories,
 * for at most 3 s (10 s if `earlier` is given). Reads installed packages last. Skips data files, caches and git objects.
 *
 * - A link is identified by its text. If the link's target is in the directory or in a root and is not a data file, the
 *   target is part of the identity.
 * - A file of up to 256 KiB is identified by content and permissions, until 32 MiB have been read.
 * - Any other file, and each file of an installed package, is identified by metadata. See `factsOf`.
 */
export async function filesBelow(directory: string, options: BoundFilesOptions): Promise<FilesFact> {
	const search = new FilesSearch(directory, options);
	await search.run();
	const { files, entries, complete, lines } = search;
	return { text: [`${entries}${complete ? "" : limitMark}`, ...lines].join("\n"), files, complete };
}

const limitMark = " (limit)";

/**
 * Compares two texts. A line can contain a path, a tab and an identity. Returns at most `max` paths with different lines,
 * and the number of all paths with different lines.
 */
export function changedPaths(before: string, after: string, max: number): { names: string[]; all: number } {
	const [old, now] = [new Set(before.split("\n")), new Set(after.split("\n"))];
	const lines = [...old.symmetricDifference(now)].filter((line) => line.includes("\t"));
	const names = [...new Set(lines.map((line) => line.slice(0, line.lastIndexOf("\t"))))];
	return { names: names.slice(0, max), all: names.length };
}

/** Directories in which reading a file may never end, or may have side effects. */
const kernelPlaces = ["/proc", "/sys", "/dev"];
/** In-memory file system with ordinary files. */
const memoryPlace = "/dev/shm";

/** Whether the path is in one of `places`. False for a path in `/dev/shm`. */
export function isInside(path: string, places: readonly string[]): boolean {
	return !isWithin(path, memoryPlace) && places.some((place) => isWithin(path, place));
}

/**
 * Returns the content hash and permissions of a file, or metadata if the file is large or unreadable. Follows links.
 * Returns undefined if the file is missing, not regular, or a kernel file.
 */
export function fileIdentity(path: string): string | undefined {
	try {
		return regularIdentity(realpathSync.native(path));
	} catch {
		// The file is missing, or the gateway cannot reach it.
		return undefined;
	}
}

/** Returns the identity of a regular file, or undefined for a link or another kind of file. */
function regularIdentity(path: string): string | undefined {
	if (isInside(path, kernelPlaces) || !lstatSync(path).isFile()) return undefined;
	let file: number | undefined;
	try {
		// A link or a pipe may replace the file at any moment.
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
		const stats = fstatSync(file, { bigint: true });
		if (!stats.isFile()) return undefined;
		if (stats.size > MAX_FILE_BYTES) return factsOf(stats);
		// Reads at most the size that the file had when it was opened.
		return `${hash("sha256", readUpTo(file, Number(stats.size)), "base64url")} ${modeOf(stats)}`;
	} catch (reason) {
		if (systemCode(reason) !== "EACCES") return undefined;
		// A user may have permission to run a program but not to read it.
		const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		return stats && factsOf(stats);
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function readUpTo(file: number, size: number): Buffer {
	const content = Buffer.alloc(size);
	let length = 0;
	while (length < size) {
		const read = readSync(file, content, length, size - length, null);
		if (read === 0) break;
		length += read;
	}
	return content.subarray(0, length);
}

/**
 * Returns metadata that identifies a file without its content. A write changes `ctime`, which only the kernel sets: a
 * user without root permissions can reset `mtime`, but not `ctime`. Three kinds of writes are not detected.
 *
 * - A second write in the same tick of the kernel's clock (1 to 10 ms).
 * - A write through an earlier memory mapping of the file.
 * - A write in a file system in which a program or a server sets the times (FUSE, network file systems).
 */
function factsOf(stats: BigIntStats): string {
	return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${modeOf(stats)}`;
}

function modeOf({ mode }: BigIntStats): string {
	return (mode & 0o7777n).toString(8);
}

class FilesSearch {
	readonly lines: string[] = [];
	files = 0;
	entries = 0;
	complete = true;
	readonly #directory: string;
	readonly #options: BoundFilesOptions;
	readonly #max: number;
	readonly #endsAt: number;
	#followed: readonly string[] | undefined;
	#hashed = 0;

	constructor(directory: string, options: BoundFilesOptions) {
		this.#directory = directory;
		this.#options = options;
		const [first = ""] = options.earlier?.split("\n", 1) ?? [];
		this.#max = first.endsWith(limitMark) ? Number.parseInt(first, 10) : (options.max ?? MAX_ENTRIES);
		const ms = options.earlier === undefined ? MAX_MS : MAX_SECOND_MS;
		this.#endsAt = options.clock.monotonic() + ms;
	}

	async run(): Promise<void> {
		const [own, packages]: [string[], string[]] = [[""], []];
		for (const at of own) {
			for (const { name } of await this.#readDirectory(at, false)) {
				(installed.test(name) ? packages : own).push(join(at, name));
			}
		}
		for (const at of packages) {
			for (const { name } of await this.#readDirectory(at, true)) packages.push(join(at, name));
		}
	}

	async #readDirectory(at: string, isInstalled: boolean): Promise<Dirent[]> {
		if (!(await this.#hasRoom())) return [];
		const entries = this.#entries(at);
		const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
		const lines: string[] = [];
		for (const entry of files) {
			if (!(await this.#hasRoom())) break;
			this.files += 1;
			const relative = join(at, entry.name);
			lines.push(`${this.#shown(relative)}\t${this.#identity(relative, entry, isInstalled)}`);
		}
		if (!isInstalled) this.lines.push(...lines);
		else if (lines.length > 0) {
			this.lines.push(`${this.#shown(at)}/\t${hash("sha256", lines.join("\n"), "base64url")}`);
		}
		return entries.filter((entry) => entry.isDirectory());
	}

	/** Counts the next entry unless a limit is reached. Returns whether the entry was counted. */
	async #hasRoom(): Promise<boolean> {
		if (this.entries % TOGETHER === 0) await turn();
		if (this.entries >= this.#max || this.#options.clock.monotonic() > this.#endsAt) this.complete = false;
		if (this.complete) this.entries += 1;
		return this.complete;
	}

	#entries(at: string): Dirent[] {
		const path = join(this.#directory, at);
		try {
			const entries = readdirSync(path, { withFileTypes: true });
			// The order is fixed, so that two scans of an unchanged directory with the same limit read the same entries.
			return entries
				.filter((entry) => this.#isBound(at, entry) && !this.#options.skips(join(path, entry.name)))
				.sort((one, other) => (one.name < other.name ? -1 : 1));
		} catch (reason) {
			// The directory was deleted or is unreadable. Commands of the same user cannot read it either.
			this.lines.push(`${this.#shown(at)}/\t${systemCode(reason)}`);
			return [];
		}
	}

	#isBound(at: string, entry: Dirent): boolean {
		const { name } = entry;
		if (this.#options.hidden && name.startsWith(".")) return false;
		if (/(?:^|\/)\.git(?:\/|$)/.test(at)) {
			if (entry.isDirectory()) return !gitData.test(name);
			return gitSettings.test(name) || (/\/hooks(?:\/|$)/.test(at) && !name.endsWith(".sample"));
		}
		return entry.isDirectory() ? !caches.test(name) : !isDataName(name);
	}

	#shown(relative: string): string {
		return join(this.#options.prefix, relative);
	}

	#identity(relative: string, entry: Dirent, isInstalled: boolean): string {
		const path = join(this.#directory, relative);
		try {
			if (entry.isSymbolicLink()) return this.#linkIdentity(path);
			const stats = lstatSync(path, { bigint: true });
			const size = Number(stats.size);
			if (isInstalled || size > MAX_FILE_BYTES || this.#hashed + size > MAX_HASHED_BYTES)
				return factsOf(stats);
			this.#hashed += size;
			return regularIdentity(path) ?? "gone";
		} catch {
			return "gone";
		}
	}

	#linkIdentity(path: string): string {
		const text = readlinkSync(path);
		let identity: string | undefined;
		try {
			const target = realpathSync.native(path);
			if (!isDataName(basename(target)) && this.#isFollowed(target)) identity = regularIdentity(target);
		} catch {
			// The target is missing or cannot be reached.
		}
		return `-> ${JSON.stringify(text)} ${identity ?? ""}`;
	}

	#isFollowed(target: string): boolean {
		this.#followed ??= [realpathSync.native(this.#directory), ...this.#options.roots];
		return this.#followed.some((place) => isWithin(target, place)) && !this.#options.skips(target);
	}
}

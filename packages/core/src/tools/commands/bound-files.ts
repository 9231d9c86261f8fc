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

/** Limits of one look: files and directories, bytes of content that are hashed, and time. */
const MAX_ENTRIES = 30_000;
const MAX_HASHED_BYTES = 32 * 1024 * 1024;
const MAX_MS = 3_000;
/** A second comparison of the same files may last longer, because its result decides whether the command runs. */
const MAX_SECOND_MS = 10_000;
/** Larger files are identified by `factsOf` instead of content. */
const MAX_FILE_BYTES = 256 * 1024;
/** Maximum entries without a pause, about 3 ms. Synchronous calls need a quarter of the CPU time of promises. */
const TOGETHER = 64;

/** Installed or built code. It is inspected last, only by size and times, with one line for each directory. */
const installed = /^(?:node_modules|bower_components|site-packages|\.venv|venv|\.tox|Pods|target)$/;
/** Caches that tools write on their own. */
const caches =
	/^(?:\.cache|\.vite|\.turbo|\.parcel-cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.nyc_output|\.gradle|\.idea|\.hg|\.svn)$/;
/** Logs, databases and backups of editors, which change while no person works on them. */
const data =
	/\.log(?:\.\d+)?$|\.pid$|\.(?:sqlite3?|db)(?:-(?:wal|shm|journal))?$|\.sw[a-p]$|~$|^(?:\.DS_Store|\.#.*|4913|nohup\.out)$/i;
/** Documents, tables, images and recordings. */
const documents =
	/\.(?:txt|md|rst|csv|tsv|pdf|docx?|xlsx?|pptx?|odt|ods|png|jpe?g|gif|webp|ico|bmp|mp[34]|wav|ogg|mov|webm)$/i;
/** Documents by their suffix that tools read as instructions. */
const instructions = /^(?:requirements|constraints|CMakeLists).*\.txt$/i;
/** Directories of a git repository without programs and settings. */
const gitData = /^(?:objects|refs|logs|lfs)$/;
/** Files of a git repository that name programs, besides hooks. */
const gitSettings = /^(?:config|config\.worktree|attributes|git-rebase-todo)$/;

export interface FilesOptions {
	readonly clock: Clock;
	/** Whether the path is left out with everything below it. */
	readonly skips: (path: string) => boolean;
	/** Directories besides the one looked at in which the target of a link is identified. */
	readonly roots: readonly string[];
	/** Whether names that begin with a dot are left out. */
	readonly hidden: boolean;
	/** Prefix of the paths of files. */
	readonly prefix: string;
	/** The earlier facts to compare with. If a limit ended that search, this search ends at the same count. */
	readonly earlier?: string;
	/** Maximum of files and directories; 30,000 unless given. */
	readonly max?: number;
}

/** Whether a file is data by its name: a document, an image, a log, a database, a backup of an editor. */
export function isDataName(name: string): boolean {
	return data.test(name) || (documents.test(name) && !instructions.test(name));
}

/**
 * Identifies the files below a directory that a program could run or load: all except documents, images, caches, logs,
 * databases, and stored data of git. A link is identified by its text, and by its target if that is a file in the directory
 * or in a root. A file of up to 256 KiB is identified by content and permissions. A larger one, and one of an installed
 * package, is identified by device, inode, size, `mtime` and `ctime` in nanoseconds. Ends at 30,000 files and directories or
 * after 3 s, with installed packages last.
 */
export async function filesBelow(directory: string, options: FilesOptions): Promise<FilesFact> {
	const look = new Look(directory, options);
	await look.run();
	const { files, entries, complete, lines } = look;
	return { text: [`${entries}${complete ? "" : limitMark}`, ...lines].join("\n"), files, complete };
}

const limitMark = " (limit)";

/** Paths whose lines differ in two texts of facts with a path in each line, at most `most`, and the number of all. */
export function changedPaths(before: string, after: string, max: number): { names: string[]; all: number } {
	const [old, now] = [new Set(before.split("\n")), new Set(after.split("\n"))];
	const lines = [...old.symmetricDifference(now)].filter((line) => line.includes("\t"));
	const names = [...new Set(lines.map((line) => line.slice(0, line.lastIndexOf("\t"))))];
	return { names: names.slice(0, max), all: names.length };
}

/** Files in these places have no end, or reading them has effects. */
const kernelPlaces = ["/proc", "/sys", "/dev"];
/** File system in memory with ordinary files. */
const memoryPlace = "/dev/shm";

/** Whether a path is in one of these places, except in memory file systems. */
export function liesIn(path: string, places: readonly string[]): boolean {
	return !isWithin(path, memoryPlace) && places.some((place) => isWithin(path, place));
}

/**
 * Content and permissions of a file, or `factsOf` if it is large. Follows links. Undefined if the file is missing, not
 * regular, or a file of the kernel.
 */
export function fileIdentity(path: string): string | undefined {
	try {
		return regularIdentity(realpathSync.native(path));
	} catch {
		// A dangling link, or a target that the gateway cannot read.
		return undefined;
	}
}

/** As `fileIdentity`, for a path that is not a link. Reads at most the size of the file at its opening. */
function regularIdentity(path: string): string | undefined {
	if (liesIn(path, kernelPlaces) || !lstatSync(path).isFile()) return undefined;
	let file: number | undefined;
	try {
		// A link or a pipe may replace the file at any moment.
		file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
		const stats = fstatSync(file, { bigint: true });
		if (!stats.isFile()) return undefined;
		if (stats.size > MAX_FILE_BYTES) return factsOf(stats);
		return `${hash("sha256", readUpTo(file, Number(stats.size)), "base64url")} ${modeOf(stats)}`;
	} catch (reason) {
		if (systemCode(reason) !== "EACCES") return undefined;
		// A user may run a program without the permission to read it.
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
 * Facts instead of the content. A write changes `ctime`, which only the kernel sets: a user without root can set `mtime`
 * back, but not `ctime`. Three writes are not detected.
 * - A second write in the same tick of the kernel's clock (1 to 10 ms).
 * - A write through an older mapping.
 * - A write in a file system whose owner sets the times (FUSE, a network server).
 */
function factsOf(stats: BigIntStats): string {
	return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${modeOf(stats)}`;
}

function modeOf({ mode }: BigIntStats): string {
	return (mode & 0o7777n).toString(8);
}

class Look {
	readonly lines: string[] = [];
	files = 0;
	entries = 0;
	complete = true;
	readonly #directory: string;
	readonly #options: FilesOptions;
	readonly #max: number;
	readonly #endsAt: number;
	#followed: readonly string[] | undefined;
	#hashed = 0;

	constructor(directory: string, options: FilesOptions) {
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
			for (const { name } of await this.#look(at, false)) {
				(installed.test(name) ? packages : own).push(join(at, name));
			}
		}
		for (const at of packages) {
			for (const { name } of await this.#look(at, true)) packages.push(join(at, name));
		}
	}

	/** Adds the files of a directory, and returns its directories. */
	async #look(at: string, isInstalled: boolean): Promise<Dirent[]> {
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

	/** Counts one more entry, unless a limit is reached. */
	async #hasRoom(): Promise<boolean> {
		if (this.entries % TOGETHER === 0) await turn();
		if (this.entries >= this.#max || this.#options.clock.monotonic() > this.#endsAt) this.complete = false;
		if (this.complete) this.entries += 1;
		return this.complete;
	}

	/** In a fixed order, so that searches that end at the same count have read the same entries. */
	#entries(at: string): Dirent[] {
		const path = join(this.#directory, at);
		try {
			const entries = readdirSync(path, { withFileTypes: true });
			return entries
				.filter((entry) => this.#isBound(at, entry) && !this.#options.skips(join(path, entry.name)))
				.sort((one, other) => (one.name < other.name ? -1 : 1));
		} catch (reason) {
			// A command of the same user cannot read it either, or it was deleted.
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

	/** The text of a link, and the file in the directory or a root that it leads to. */
	#linkIdentity(path: string): string {
		const text = readlinkSync(path);
		let identity: string | undefined;
		try {
			const target = realpathSync.native(path);
			if (!isDataName(basename(target)) && this.#isFollowed(target)) identity = regularIdentity(target);
		} catch {
			// Dangling link.
		}
		return `-> ${JSON.stringify(text)} ${identity ?? ""}`;
	}

	#isFollowed(target: string): boolean {
		this.#followed ??= [realpathSync.native(this.#directory), ...this.#options.roots];
		return this.#followed.some((place) => isWithin(target, place)) && !this.#options.skips(target);
	}
}

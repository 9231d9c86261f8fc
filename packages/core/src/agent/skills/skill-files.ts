import { lstatSync } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { fileError, systemCode } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { OpenDirectory, openRegular, readAt } from "../../filesystem/regular-file.ts";
import { sha256 } from "../../text/sha256.ts";
import type { Skill, SkillSource, SkillText } from "../../vocabulary/skill.ts";
import { skillReadTexts } from "./texts.ts";

/**
 * Limits of one skill. `entries`: maximum entries in one directory of skills. A larger skill is reported as a problem,
 * because the content of a skill is compared at each use.
 */
const max = {
	textBytes: 256 * 1024,
	files: 500,
	bytes: 16 * 1024 * 1024,
	depth: 8,
	entries: 1_000,
} as const;

/** Limits of all skills in one place together, because each message may read all of them. */
const placeLimits = { files: 2_000, bytes: 64 * 1024 * 1024 } as const;

export interface SkillOnDisk {
	readonly skill: Skill;
	/** Path for people, relative to the data directory or the working directory. */
	readonly path: string;
	/**
	 * Paths of the skill's files besides `SKILL.md`, relative to the directory of the skill. Empty for a skill in a
	 * single `NAME.md`.
	 */
	readonly files: readonly string[];
}

export interface SkillProblem {
	readonly path: string;
	/** Text of the problem. It begins with `line N: ` if the line is known. */
	readonly message: string;
}

export interface SkillsOnDisk {
	/** Skills in order of precedence. Each name occurs once. */
	readonly skills: readonly SkillOnDisk[];
	readonly problems: readonly SkillProblem[];
}

/**
 * Places of skills in order of precedence, so that a skill of a working directory cannot replace a skill of the
 * operator.
 */
const places: readonly { readonly source: SkillSource; readonly below: string }[] = [
	{ source: "data", below: "skills" },
	{ source: "directory", below: join(".parley", "skills") },
	{ source: "claude", below: join(".claude", "skills") },
];

/** A directory that may contain skills, or a file in such a directory. */
interface Place {
	/** Real path of the data directory or a working directory. */
	readonly base: string;
	readonly source: SkillSource;
	/** Path relative to `base`. */
	readonly path: string;
}

/** Remaining files and bytes that may be read in a place. */
interface ReadAllowance {
	files: number;
	bytes: number;
}

interface CachedSkills {
	readonly stamp: string;
	readonly hash: string;
}

/** Maximum entries of a cache: enough for one working directory and the data directory. */
const maxCached = places.length * placeLimits.files;

/**
 * Reads the skills of a data directory and of working directories. Each call checks the files and reads changed files
 * again, so no watcher is needed. In the data directory, links to targets inside the data directory are followed. Below
 * a working directory, no link is followed, because a tool could write the link's target without the approval that a
 * write to skills requires.
 */
export class SkillFiles {
	readonly #data: string;
	readonly #hashes = new Map<string, CachedSkills>();
	readonly #texts = new Map<string, { readonly hash: string; readonly text: SkillText }>();

	/** Reads skills in the data directory with the real path `data`. */
	constructor(data: string) {
		this.#data = data;
	}

	/**
	 * Whether a directory of skills exists in the data directory or the working directory. Synchronous, because each run
	 * calls this method.
	 */
	mayExist(workingDirectory: string | undefined): boolean {
		return places.some(({ source, below }) => {
			const base = source === "data" ? this.#data : workingDirectory;
			return base !== undefined && isThere(join(base, below));
		});
	}

	/**
	 * Returns a list with the directory of the operator's skills. The list is empty if the directory is missing, is a
	 * link or is not accessible.
	 */
	get readable(): readonly string[] {
		const path = join(this.#data, "skills");
		try {
			return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? [path] : [];
		} catch {
			// The code that reads the skills reports the error.
			return [];
		}
	}

	/**
	 * Returns all skills for a session in `workingDirectory`, and the problems of unusable skills. If `workingDirectory`
	 * is undefined, returns only the skills of the data directory.
	 */
	async find(workingDirectory: string | undefined): Promise<SkillsOnDisk> {
		const skills = new Map<string, SkillOnDisk>();
		const problems: SkillProblem[] = [];
		for (const { source, below } of places) {
			const base = source === "data" ? this.#data : workingDirectory;
			if (base === undefined || !isThere(join(base, below))) continue;
			const allowance: ReadAllowance = { ...placeLimits };
			for (const path of await this.#paths({ base, source, path: below }, problems)) {
				const found = await this.#read({ base, source, path }, allowance, problems);
				const first = found && skills.get(found.skill.name);
				if (first) problems.push({ path, message: skillReadTexts.hidden(first.path, first.skill.name) });
				else if (found) skills.set(found.skill.name, found);
			}
		}
		return { skills: [...skills.values()], problems };
	}

	/** Returns the paths of skill files: all `NAME/SKILL.md` sorted by name, and then all `NAME.md` sorted by name. */
	async #paths(place: Place, problems: SkillProblem[]): Promise<string[]> {
		const { base, path: below } = place;
		try {
			await using directoryHandle = await OpenDirectory.open(await realOf(place));
			const entries = (await readdir(directoryHandle.at("."), { withFileTypes: true }))
				.filter(({ name }) => !name.startsWith("."))
				.toSorted((one, other) => (one.name < other.name ? -1 : 1));
			if (entries.length > max.entries) throw refused(skillReadTexts.tooManyEntries(max.entries));
			const inner = entries
				.filter((entry) => !entry.isFile())
				.map(({ name }) => join(below, name, "SKILL.md"))
				.filter((path) => isThere(join(base, path)));
			const plain = entries
				.filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md"))
				.map(({ name }) => join(below, name));
			return [...inner, ...plain];
		} catch (reason) {
			problems.push({ path: below, message: fileError(skillReadTexts.unreadableDirectory, reason).message });
			return [];
		}
	}

	async #read(
		place: Place,
		allowance: ReadAllowance,
		problems: SkillProblem[],
	): Promise<SkillOnDisk | undefined> {
		const { source, path } = place;
		try {
			const file = await realOf(place);
			const directory = dirname(file);
			const isDirectory = basename(path) === "SKILL.md";
			countFile(allowance, (await lstat(file)).size);
			const own = await this.#hashOf(file);
			const others = isDirectory ? await this.#others(directory, file, allowance) : [];
			const fallback = isDirectory ? basename(dirname(path)) : basename(path, ".md");
			const text = await this.#text(file, own, fallback);
			const hash = hashOfSkill(path, [{ name: basename(path), hash: own }, ...others]);
			const skill: Skill = { ...text, source, directory, hash };
			return { skill, path, files: others.map(({ name }) => name) };
		} catch (reason) {
			problems.push({ path, message: fileError(skillReadTexts.unreadableFile, reason).message });
			return undefined;
		}
	}

	async #text(file: string, hash: string, fallback: string): Promise<SkillText> {
		const known = this.#texts.get(file);
		if (known?.hash === hash) return known.text;
		const bytes = await readAll(file, max.textBytes);
		// Loads the YAML and TOML parsers here, because a gateway without skills does not need them.
		const { readSkill } = await import("./read-skill.ts");
		const text = readSkill(decode(bytes), fallback);
		// A file that changed after its hash was computed is refused and not cached, so the next call reads it again.
		if (sha256(bytes) === hash) this.#texts.set(file, { hash, text });
		else throw refused(skillReadTexts.changed);
		if (this.#texts.size > maxCached) this.#texts.clear();
		return text;
	}

	/**
	 * Returns the names and hashes of a skill's other files, sorted by name. Throws if the directory contains a link
	 * or exceeds the limits.
	 */
	async #others(
		directory: string,
		file: string,
		allowance: ReadAllowance,
	): Promise<{ readonly name: string; readonly hash: string }[]> {
		await using directoryHandle = await OpenDirectory.open(directory);
		const names = await filesBelow(directoryHandle, 0);
		const paths = names
			.map((name) => join(directory, name))
			.filter((path) => path !== file)
			.toSorted();
		const found: { name: string; hash: string }[] = [];
		let bytes = 0;
		for (const path of paths) {
			const { size } = await lstat(path);
			bytes += size;
			if (paths.length > max.files || bytes > max.bytes) {
				throw refused(skillReadTexts.skillTooLarge(max.files, max.bytes / 1024 / 1024));
			}
			countFile(allowance, size);
			found.push({ name: relative(directory, path), hash: await this.#hashOf(path) });
		}
		return found;
	}

	/**
	 * Returns the hash of a file. Caches the hash until the identity, mode, size or times of the file change.
	 */
	async #hashOf(path: string): Promise<string> {
		const { dev, ino, size, mtimeNs, ctimeNs, mode } = await lstat(path, { bigint: true });
		const stamp = [dev, ino, size, mtimeNs, ctimeNs, mode].join();
		const known = this.#hashes.get(path);
		if (known?.stamp === stamp) return known.hash;
		const hash = sha256(await readAll(path, max.bytes));
		if (this.#hashes.size > maxCached) this.#hashes.clear();
		this.#hashes.set(path, { stamp, hash });
		return hash;
	}
}

/**
 * Returns the paths of all files below a directory. Refuses links, because a target can change without a change
 * of the skill.
 */
async function filesBelow(directory: OpenDirectory, depth: number): Promise<string[]> {
	if (depth > max.depth) throw refused(skillReadTexts.tooDeep(max.depth));
	const found: string[] = [];
	for (const entry of await readdir(directory.at("."), { withFileTypes: true })) {
		const { name } = entry;
		if (entry.isDirectory()) {
			await using inner = await directory.enter(name);
			found.push(...(await filesBelow(inner, depth + 1)).map((path) => join(name, path)));
		} else if (entry.isFile()) found.push(name);
		else throw refused(skillReadTexts.notRegular(JSON.stringify(name)));
		if (found.length > max.files) throw refused(skillReadTexts.tooManyFiles(max.files));
	}
	return found;
}

/**
 * Deducts a file of `size` bytes from `allowance` before the file is read. Throws if the allowance is exceeded.
 */
function countFile(allowance: ReadAllowance, size: number): void {
	allowance.files -= 1;
	allowance.bytes -= size;
	if (allowance.files >= 0 && allowance.bytes >= 0) return;
	const { files, bytes } = placeLimits;
	throw refused(skillReadTexts.directoryTooLarge(files, bytes / 1024 / 1024));
}

/**
 * Returns the hash of a skill. For `NAME.md`, returns the hash of the file. Otherwise, the hash depends on the names
 * and contents of all files of the skill.
 */
export function hashOfSkill(
	path: string,
	files: readonly { readonly name: string; readonly hash: string }[],
): string {
	const [own] = files;
	if (own && basename(path) !== "SKILL.md") return own.hash;
	return sha256(Buffer.from(JSON.stringify(files.map(({ name, hash }) => [name, hash]))));
}

/** Returns the real path of a place. Throws for a link that may not be followed. */
async function realOf({ base, source, path }: Place): Promise<string> {
	if (source === "data") return realWithin(base, path);
	let real = base;
	for (const name of path.split(sep)) {
		real = join(real, name);
		if (!(await lstat(real)).isSymbolicLink()) continue;
		throw refused(skillReadTexts.link(JSON.stringify(relative(base, real))));
	}
	return real;
}

async function realWithin(base: string, path: string): Promise<string> {
	const real = await realpath(join(base, path));
	if (isWithin(real, base)) return real;
	throw refused(skillReadTexts.linkOutside(base));
}

export async function readAll(path: string, maxBytes: number): Promise<Buffer> {
	await using file = await openRegular(path, path);
	const chunks: Buffer[] = [];
	for (let position = 0; ; ) {
		const chunk = await readAt(file, path, { position, length: Math.min(maxBytes + 1, 1024 * 1024) });
		if (chunk.length === 0) return Buffer.concat(chunks);
		position += chunk.length;
		if (position > maxBytes) throw refused(skillReadTexts.fileTooLarge(maxBytes / 1024));
		chunks.push(chunk);
	}
}

export function decode(bytes: Buffer): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw refused(skillReadTexts.notText, cause);
	}
}

function isThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (reason) {
		// If a path component is a file, no skill exists. The code that reads the skills reports other errors.
		return systemCode(reason) !== "ENOTDIR";
	}
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}

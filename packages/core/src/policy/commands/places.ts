import { resolve } from "node:path";
import { isWithin, looseForm } from "../../filesystem/paths.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { UNKNOWN } from "./words.ts";

/** Directories that apply to a command. All paths are absolute. */
export interface CommandDirectories extends ForbiddenPlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
}

interface ForbiddenPlaces {
	readonly home: string;
	readonly forbidden: readonly string[];
	/**
	 * Workspace of the session. Commands may name the workspace, even if the workspace is below a forbidden directory.
	 */
	readonly workspace?: string | undefined;
	/**
	 * Directories that commands may name, even if a directory is below a forbidden directory. In a sandbox, the
	 * directories are read-only.
	 */
	readonly readable?: readonly string[] | undefined;
}

/**
 * Returns the absolute path that a word names. Returns undefined if the path is known only at run time, for example if
 * the path is relative and `cwd` is undefined.
 */
export function resolveWord(word: string, cwd: string | undefined, home: string): string | undefined {
	// The shell expands `{a,b}` and `{1..3}` to several words.
	const isBraced = word.includes("{") && /,|\.\./.test(word);
	if (isBraced || word.includes(UNKNOWN)) return undefined;
	if (/^~(?:\/|$)/.test(word)) return resolve(home, `.${word.slice(1)}`);
	if (word.startsWith("~")) return undefined;
	if (word.startsWith("/")) return resolve(word);
	return cwd === undefined ? undefined : resolve(cwd, word);
}

/**
 * Returns the paths that a word may be or contain, for example in `--data=PATH`, `@PATH`, `host:PATH`, `{PATH,PATH}`.
 * Resolves a path that is known only at run time against `/`.
 */
export function namedPaths(word: string, cwd: string | undefined, home: string): string[] {
	const parts = new Set([word, ...word.split(/[=:@,{}]/)]);
	return [...parts]
		.filter((part) => part !== "")
		.map((part) => resolveWord(part, cwd, home) ?? resolve("/", part));
}

/**
 * Whether a word names a forbidden directory, or a file or directory in a forbidden directory. Paths in the workspace
 * and in the readable directories are allowed.
 */
export function namesForbidden(
	word: string,
	cwd: string | undefined,
	{ forbidden, workspace, readable = [], home }: ForbiddenPlaces,
): boolean {
	if (forbidden.length === 0) return false;
	const open = workspace === undefined ? readable : [workspace, ...readable];
	const text = looseForm(open.reduce(withoutPath, word));
	// The split separates PATH in words such as `--data=PATH`, `@PATH`, `file://PATH` and `host:PATH`.
	const parts = [word, ...word.split(/[=:@,]/).slice(1)];
	const places = parts
		.flatMap((part) => resolveWord(part, cwd, home) ?? [])
		.filter((place) => !open.some((directory) => isWithin(place, directory)));
	return forbidden.some((directory) => {
		const looseDirectory = looseForm(directory);
		if (containsPath(text, looseDirectory)) return true;
		return places.some((place) => matchesWithin(looseForm(place), looseDirectory));
	});
}

/**
 * Removes `path` from the text, unless the path is only the beginning of a longer name. Returns the text unchanged if
 * it contains `..`, because `..` could lead out of the path.
 */
function withoutPath(text: string, path: string): string {
	if (text.includes("..")) return text;
	return text
		.split(path)
		.reduce((before, after) =>
			/^(?:[/\s"';|&()<>]|$)/.test(after) ? before + after : before + path + after,
		);
}

/** Whether the text contains the path. False if the path is only the beginning of a longer name. */
function containsPath(text: string, path: string): boolean {
	for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
		const next = text[at + path.length] ?? "/";
		if (!/[\p{L}\p{N}_.-]/u.test(next)) return true;
	}
	return false;
}

/** Whether the path is in the directory. Treats `*`, `?` and `[…]` in the path as patterns. */
export function matchesWithin(path: string, directory: string): boolean {
	if (!/[*?[]/.test(path)) return isWithin(path, directory);
	const patterns = path.split("/");
	const names = directory.split("/");
	return (
		patterns.length >= names.length && names.every((name, index) => matchesName(name, patterns[index] ?? ""))
	);
}

/**
 * Whether a name matches a shell pattern. Backtracks only to the last `*`, so that no pattern is slow. `[…]` matches
 * any one character.
 */
export function matchesName(name: string, glob: string): boolean {
	const pattern = glob.replaceAll(/\[[^\]]*\]/g, "?");
	let [at, next, star, retry] = [0, 0, -1, 0];
	while (at < name.length) {
		if (pattern[next] === "*") {
			star = next;
			retry = at;
			next += 1;
		} else if (pattern[next] === "?" || pattern[next] === name[at]) {
			at += 1;
			next += 1;
		} else if (star !== -1) {
			next = star + 1;
			retry += 1;
			at = retry;
		} else {
			return false;
		}
	}
	return /^\**$/.test(pattern.slice(next));
}

/** Names in `/proc/PROCESS` for the environment, the memory, the open files and the file system of the process. */
const revealing = "environ mem maps smaps fd fdinfo root cwd task map_files".split(" ");

/**
 * Names of secret files and directories that a shell pattern may match. Only a pattern with a leading dot matches names
 * with a leading dot.
 */
const wellKnown = ".env .ssh .aws .gnupg .netrc .npmrc id_rsa id_ed25519".split(" ");

/**
 * Whether a command may read a secret through the absolute path `path`. True in these cases:
 * - The path names a secret file.
 * - The path contains a pattern that matches a secret file.
 * - The path reveals the state of a process in `/proc`.
 */
export function isSecretName(path: string): boolean {
	return isSecret(path) || revealsProcess(path) || path.split("/").some(mayBeWellKnown);
}

function mayBeWellKnown(name: string): boolean {
	if (!/^(?:\.|id).*[*?[]/.test(name)) return false;
	return wellKnown.some((known) => matchesName(known, name));
}

function revealsProcess(path: string): boolean {
	const [, proc, process, ...rest] = path.split("/").map((name) => name.replaceAll(UNKNOWN, "*"));
	if (proc === undefined || process === undefined || !matchesName("proc", proc)) return false;
	// The process may be a number, a name, a pattern, or text that is known only at run time.
	const isProcess = /^(?:\d+|self|thread-self)$/.test(process) || /[*?[]/.test(process);
	return isProcess && revealing.some((name) => matchesName(name, rest[0] ?? ""));
}

import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { defined, ParleyError } from "@parley/base";
import type { ParameterLeniency } from "../vocabulary/tool.ts";
import { fileError, systemCode } from "./file-error.ts";

/** A written path, made real. */
export interface ResolvedPath {
	/** Absolute, without symbolic links as far as it exists. The one to open; never open what was written. */
	readonly path: string;
	/** As written, made absolute by its text alone. */
	readonly written: string;
	/** The innermost root that `path` lies in; undefined when it is outside of all. */
	readonly root: string | undefined;
}

/** Paths of the gateway that a session may not use. */
export interface ForbiddenPaths {
	/** Paths that no tool may read or write, such as the data directory. */
	readonly forbidden: readonly string[];
	/** Directory of the session below a forbidden path, which its tools may use. */
	readonly workspace?: string | undefined;
}

/** Directories in which a written path is resolved. */
interface Places extends ForbiddenPaths {
	readonly cwd: string;
	readonly roots: readonly string[];
}

/** Directories of a tool that only reads. */
interface ReadablePlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly workspace?: string | undefined;
	/** Directories below forbidden paths that tools may read. */
	readonly readable?: readonly string[];
}

/** As many as Linux follows: https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const MAX_LINKS = 40;
/** The kernel's PATH_MAX, with the byte that ends it. */
const MAX_PATH_BYTES = 4_095;

/**
 * Makes a path that a model wrote real: relative ones start at the working directory, `..` is taken off by text (so
 * `link/..` is where the link stands), then every link is followed, also those that lead nowhere yet. `~` is not
 * expanded but refused, as are backslashes, NUL and text that no file name can hold: `invalid_argument`. A path at or
 * below a forbidden one is refused whatever leads there: `permission_denied`.
 */
export async function resolvePath(text: string, places: Places): Promise<ResolvedPath> {
	refuseUnclear(text);
	const written = resolve(places.cwd, text);
	refuseForbidden(written, text, places);
	const path = await followLinks(written, text, { left: MAX_LINKS });
	refuseForbidden(path, text, places);
	const root = innermost(path, places.roots);
	if (root === undefined) await refuseReplacedRoot(innermost(written, places.roots));
	return { path, written, root };
}

/**
 * The context for a tool that only reads what a text names: a readable directory of the gateway is like a root there.
 * Every other path of the gateway stays forbidden.
 */
export function forReading<T extends ReadablePlaces>(text: string, context: T): T {
	const written = resolve(context.cwd, text);
	const place = context.readable?.find((directory) => isWithin(written, directory));
	return place === undefined ? context : { ...context, roots: [...context.roots, place], workspace: place };
}

/**
 * Error for a root or working directory whose real path is `real` by now, or that does not exist. A program that can
 * write to the directory above can put a link in its place.
 */
export function replacedDirectory(
	path: string,
	role: "root" | "working directory",
	real: string | undefined,
): ParleyError {
	const why = real === undefined ? "it does not exist" : `it leads to ${JSON.stringify(real)} now`;
	return new ParleyError(
		`Cannot use the ${role} ${JSON.stringify(path)}: ${why}. Nothing was run or changed. ` +
			"Put the directory back, or open a session for another one.",
		{ code: "failed_precondition" },
	);
}

/** Whether `path` is `directory` or below it. Both are absolute and normal; nothing is read. */
export function isWithin(path: string, directory: string): boolean {
	const prefix = directory.endsWith("/") ? directory : `${directory}/`;
	return path === directory || path.startsWith(prefix);
}

/**
 * A path as a careless file system compares it: without regard to case, composition and ignorable characters.
 * Two paths that are one on macOS have one form; only ever used to refuse or to ask.
 */
export function looseForm(path: string): string {
	if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
	return path
		.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
		.normalize("NFKC")
		.toUpperCase()
		.toLowerCase();
}

/**
 * Whether an absolute, normal path is the gateway's own: at or below a forbidden one. The session's own workspace is not,
 * as long as it is spelled as it is.
 */
export function belongsToGateway(path: string, { forbidden, workspace }: ForbiddenPaths): boolean {
	if (workspace !== undefined && isWithin(path, workspace)) return false;
	const loose = looseForm(path);
	return forbidden.some((entry) => isWithin(loose, looseForm(entry)));
}

/** For people: relative to the working directory where it is below that, else absolute. */
export function shownPath(path: string, cwd: string): string {
	return isWithin(path, cwd) ? relative(cwd, path) || "." : path;
}

function innermost(path: string, roots: readonly string[]): string | undefined {
	return roots.filter((root) => isWithin(path, root)).sort((a, b) => b.length - a.length)[0];
}

/** Throws `failed_precondition` if the root is a symbolic link by now, or leads through one. */
async function refuseReplacedRoot(root: string | undefined): Promise<void> {
	if (root === undefined) return;
	const real = await realpath(root).catch(() => undefined);
	if (real !== root) throw replacedDirectory(root, "root", real);
}

function refuseUnclear(text: string): void {
	const refuse = (why: string): never => {
		throw new ParleyError(`${why}: ${JSON.stringify(text.slice(0, 200))}`, { code: "invalid_argument" });
	};
	if (text === "") refuse("the path is empty");
	if (text.includes("\0")) refuse("a path cannot hold a NUL");
	if (!text.isWellFormed()) refuse("the path is not well-formed text");
	if (text.includes("\\")) refuse("a path holds no backslash here, separate with /");
	if (text.startsWith("~")) refuse("~ is not expanded, write the whole path");
	if (Buffer.byteLength(text) > MAX_PATH_BYTES) refuse(`the path is longer than ${MAX_PATH_BYTES} bytes`);
}

function refuseForbidden(path: string, text: string, forbidden: ForbiddenPaths): void {
	if (!belongsToGateway(path, forbidden)) return;
	throw new ParleyError(`no tool may touch ${JSON.stringify(text)}: it belongs to the gateway`, {
		code: "permission_denied",
	});
}

/** `realpath` for paths whose end need not exist. A dangling link counts as what it would lead to. */
async function followLinks(path: string, text: string, links: { left: number }): Promise<string> {
	try {
		return await realpath(path);
	} catch (cause) {
		if (systemCode(cause) !== "ENOENT") throw fileError(`cannot reach ${JSON.stringify(text)}`, cause);
	}
	const parent = await followLinks(dirname(path), text, links);
	const candidate = join(parent, basename(path));
	const target = await linkTarget(candidate, text);
	if (target === undefined) return candidate;
	links.left -= 1;
	if (links.left < 0) {
		throw new ParleyError(`cannot reach ${JSON.stringify(text)}: too many symbolic links`, {
			code: "invalid_argument",
		});
	}
	return followLinks(resolve(parent, target), text, links);
}

/** Where the link at `path` leads, or undefined when nothing is there or it is no link (EINVAL). */
async function linkTarget(path: string, text: string): Promise<string | undefined> {
	try {
		return await readlink(path);
	} catch (cause) {
		if (["ENOENT", "EINVAL"].includes(systemCode(cause))) return undefined;
		throw fileError(`cannot reach ${JSON.stringify(text)}`, cause);
	}
}

/** Characters of a client's path that a refusal repeats. */
const mostShown = 100;

/** What tools may touch, as the operator said it. */
export interface Roots {
	/** Real paths of `--root`; empty where none was given. */
	readonly given: readonly string[];
	/** The directory that the gateway was started in, used where none was given. */
	readonly current: string;
	/** Never a root, and nothing below it is: the data directory. */
	readonly dataDir: string;
}

/** What the tools of a session may touch, its working directory first; of a chat platform's session nothing else. */
export function toolRoots(
	{ rootDir, place }: { readonly rootDir: string; readonly place: string | undefined },
	given: Roots["given"],
): readonly string[] {
	return place === undefined ? [...new Set([rootDir, ...given])] : [rootDir];
}

/** The working directory for a client's `root_dir`, by the rules of the runtime; throws `invalid_argument`. */
export async function chooseRoot(wanted: string | undefined, roots: Roots): Promise<string> {
	const base = roots.given[0] ?? roots.current;
	if (wanted === undefined || wanted === "") return base;
	const path = await existingDirectory(resolve(base, wanted), wanted);
	if (isWithin(path, roots.dataDir)) throw refused(wanted, "is in the data directory");
	if (roots.given.length > 0 && !roots.given.some((root) => isWithin(path, root))) {
		throw refused(wanted, `is outside the roots ${roots.given.join(", ")}`);
	}
	return path;
}

async function existingDirectory(path: string, wanted: string): Promise<string> {
	if (path.includes("\0")) throw refused(wanted, "is not a path");
	try {
		const real = await realpath(path);
		if ((await stat(real)).isDirectory()) return real;
	} catch (cause) {
		throw refused(wanted, "does not exist", cause);
	}
	throw refused(wanted, "is not a directory");
}

function refused(wanted: string, why: string, cause?: unknown): ParleyError {
	const shown = wanted.length > mostShown ? `${wanted.slice(0, mostShown)}…` : wanted;
	return new ParleyError(`root_dir: ${JSON.stringify(shown)} ${why}`, {
		code: "invalid_argument",
		...defined({ cause }),
	});
}

/** Other names that models give the path of a file. */
export const pathLeniency: ParameterLeniency = { names: ["file_path", "file", "filename"] };

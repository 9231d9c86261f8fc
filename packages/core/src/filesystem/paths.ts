import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { defined, ParleyError } from "@parley/base";
import type { ParameterLeniency } from "../vocabulary/tool.ts";
import { fileError, fileFault, isNotFound, systemCode } from "./file-error.ts";
import { pathFaultTexts } from "./texts.ts";

export interface ResolvedPath {
	/**
	 * Absolute path. The existing part of this path has no symbolic links. Open this path, never the path in `written`.
	 */
	readonly path: string;
	/** The given path, made absolute without access to the file system. */
	readonly written: string;
	/** Innermost root that contains `path`. Undefined if `path` is outside all roots. */
	readonly root: string | undefined;
}

/** Paths of the gateway that a session may not use, and the workspace as an exception. */
export interface ForbiddenPaths {
	/** Paths that tools may not read or write, such as the data directory. */
	readonly forbidden: readonly string[];
	/** Directory of the session below a forbidden path. The tools of the session may use this directory. */
	readonly workspace?: string | undefined;
}

interface Places extends ForbiddenPaths {
	readonly cwd: string;
	readonly roots: readonly string[];
}

interface ReadablePlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly workspace?: string | undefined;
	/** Directories that tools may read although the directories are below forbidden paths. */
	readonly readable?: readonly string[];
}

/**
 * Maximum dangling links that are followed. Linux has the same limit:
 * https://man7.org/linux/man-pages/man7/path_resolution.7.html
 */
const MAX_LINKS = 40;
/** PATH_MAX of the kernel without the terminating zero byte. */
const MAX_PATH_BYTES = 4_095;

/**
 * Resolves a path that a model wrote. Relative paths start at the working directory. First resolves `..` in the text,
 * so `link/..` is the directory that contains the link. Then follows all links, including dangling links. Throws
 * `invalid_argument` for a leading `~`, for backslashes and NUL, and for text that is empty, too long or not
 * well-formed. Throws `failed_precondition` if a root was replaced. Throws `permission_denied` for a forbidden path and
 * all paths below it, even if a link leads there.
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
 * Returns the context for a tool that only reads the path in `text`. If one of the readable directories contains the
 * path, that directory is a root in the returned context. All other paths of the gateway stay forbidden.
 */
export function forReading<T extends ReadablePlaces>(text: string, context: T): T {
	const written = resolve(context.cwd, text);
	const place = context.readable?.find((directory) => isWithin(written, directory));
	return place === undefined ? context : { ...context, roots: [...context.roots, place], workspace: place };
}

/**
 * Returns an error for a root or working directory that no longer exists, or that now leads to the real path `real`. A
 * program that can write to the parent directory can replace the directory with a link.
 */
export function replacedDirectory(
	path: string,
	role: "root" | "working directory",
	real: string | undefined,
): ParleyError {
	const reason = real === undefined ? pathFaultTexts.gone : pathFaultTexts.leadsTo(real);
	return new ParleyError(pathFaultTexts.cannotUse(role, path, reason), { code: "failed_precondition" });
}

/**
 * Whether `path` is `directory` or below `directory`. Both paths must be absolute and normal. Does not access the file
 * system.
 */
export function isWithin(path: string, directory: string): boolean {
	const prefix = directory.endsWith("/") ? directory : `${directory}/`;
	return path === directory || path.startsWith(prefix);
}

/**
 * Returns a form of a path that ignores case, Unicode composition and ignorable characters. Names that macOS treats as
 * equal have the same form. Use this form only to refuse a call or to require approval.
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
 * Whether an absolute, normal path belongs to the gateway, because it is at or below a forbidden path. A path in the
 * session's workspace does not belong to the gateway if it begins with exactly the spelling of the workspace path.
 */
export function belongsToGateway(path: string, { forbidden, workspace }: ForbiddenPaths): boolean {
	if (workspace !== undefined && isWithin(path, workspace)) return false;
	const loose = looseForm(path);
	return forbidden.some((entry) => isWithin(loose, looseForm(entry)));
}

/** Returns a path for people: relative below the working directory, otherwise absolute. */
export function shownPath(path: string, cwd: string): string {
	return isWithin(path, cwd) ? relative(cwd, path) || "." : path;
}

function innermost(path: string, roots: readonly string[]): string | undefined {
	return roots.filter((root) => isWithin(path, root)).sort((a, b) => b.length - a.length)[0];
}

async function refuseReplacedRoot(root: string | undefined): Promise<void> {
	if (root === undefined) return;
	const real = await realpath(root).catch(() => undefined);
	if (real !== root) throw replacedDirectory(root, "root", real);
}

function refuseUnclear(text: string): void {
	const refuse = (reason: string): never => {
		throw new ParleyError(pathFaultTexts.unclear(text.slice(0, 200), reason), { code: "invalid_argument" });
	};
	if (text === "") refuse(pathFaultTexts.empty);
	if (text.includes("\0")) refuse(pathFaultTexts.nul);
	if (!text.isWellFormed()) refuse(pathFaultTexts.notText);
	if (text.includes("\\")) refuse(pathFaultTexts.backslash);
	if (text.startsWith("~")) refuse(pathFaultTexts.home);
	if (Buffer.byteLength(text) > MAX_PATH_BYTES) refuse(pathFaultTexts.tooLong(MAX_PATH_BYTES));
}

function refuseForbidden(path: string, text: string, forbidden: ForbiddenPaths): void {
	if (!belongsToGateway(path, forbidden)) return;
	throw new ParleyError(pathFaultTexts.ofGateway(text), {
		code: "permission_denied",
	});
}

/**
 * Returns the real path as `realpath` does, but the last parts need not exist. A dangling link resolves to its
 * target.
 */
async function followLinks(path: string, text: string, links: { left: number }): Promise<string> {
	try {
		return await realpath(path);
	} catch (cause) {
		if (systemCode(cause) !== "ENOENT") throw fileError(pathFaultTexts.unreachable(text), cause);
	}
	const parent = await followLinks(dirname(path), text, links);
	const candidate = join(parent, basename(path));
	const target = await linkTarget(candidate, text);
	if (target === undefined) return candidate;
	links.left -= 1;
	if (links.left < 0) {
		throw new ParleyError(pathFaultTexts.tooManyLinks(text), {
			code: "invalid_argument",
		});
	}
	return followLinks(resolve(parent, target), text, links);
}

/** Returns the target of a link, or undefined if the path does not exist or is not a link (EINVAL). */
async function linkTarget(path: string, text: string): Promise<string | undefined> {
	try {
		return await readlink(path);
	} catch (cause) {
		if (["ENOENT", "EINVAL"].includes(systemCode(cause))) return undefined;
		throw fileError(pathFaultTexts.unreachable(text), cause);
	}
}

/** Maximum characters of a client's path in an error. */
const maxShown = 100;

/** Directories that the operator has configured. */
export interface Roots {
	/** Real paths of `--root`. Empty if the option is not used. */
	readonly given: readonly string[];
	/** Directory in which the gateway was started. If there is no `--root`, this directory is the only root. */
	readonly current: string;
	/** Data directory. A client cannot choose this directory or its subdirectories as a working directory. */
	readonly dataDir: string;
	/**
	 * Returns the real paths of additional directories in which the operator allows sessions. Unlike a root, an
	 * additional directory is accessible only to sessions that work in it. Called for each session, because the
	 * operator can change the list. Default: none.
	 */
	readonly projects?: () => Promise<readonly string[]>;
}

/**
 * Returns the directories that the tools of a session may access. The first directory is the working directory. A chat
 * session has only the working directory.
 */
export function toolRoots(
	{ rootDir, place }: { readonly rootDir: string; readonly place: string | undefined },
	given: Roots["given"],
): readonly string[] {
	return place === undefined ? [...new Set([rootDir, ...given])] : [rootDir];
}

/**
 * Returns the working directory for a client's `root_dir`. If `root_dir` is undefined or empty, returns the first root.
 * Throws `invalid_argument` if the directory is refused.
 */
export async function chooseRoot(requested: string | undefined, roots: Roots): Promise<string> {
	const base = roots.given[0] ?? roots.current;
	if (requested === undefined || requested === "") return base;
	const path = await existingDirectory(resolve(base, requested), requested);
	if (isWithin(path, roots.dataDir)) throw refused(requested, pathFaultTexts.inData);
	if (roots.given.length === 0 || roots.given.some((root) => isWithin(path, root))) return path;
	const projects = (await roots.projects?.()) ?? [];
	if (projects.some((project) => isWithin(path, project))) return path;
	throw refused(requested, pathFaultTexts.outsideRoots(roots.given));
}

async function existingDirectory(path: string, requested: string): Promise<string> {
	if (path.includes("\0")) throw refused(requested, pathFaultTexts.notPath);
	try {
		const real = await realpath(path);
		if ((await stat(real)).isDirectory()) return real;
	} catch (cause) {
		const { doesNotExist, inaccessible } = pathFaultTexts;
		throw refused(requested, isNotFound(cause) ? doesNotExist : inaccessible(fileFault(cause)), cause);
	}
	throw refused(requested, pathFaultTexts.isNotDirectory);
}

function refused(requested: string, reason: string, cause?: unknown): ParleyError {
	const shown = requested.length > maxShown ? `${requested.slice(0, maxShown)}…` : requested;
	return new ParleyError(`root_dir: ${JSON.stringify(shown)} ${reason}`, {
		code: "invalid_argument",
		...defined({ cause }),
	});
}

/** Other parameter names that models use for `path`. */
export const pathLeniency: ParameterLeniency = { names: ["file_path", "file", "filename"] };

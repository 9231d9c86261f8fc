import { lstat, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import type { CommandOutcome } from "../../vocabulary/sandbox.ts";
import {
	type GitDirectory,
	hasHooks,
	type Repositories,
	readStart,
	type Steering,
	wasSearched,
} from "./find-repositories.ts";

interface Protected {
	/**
	 * Whether the git directory is the `.git` of a root, of the home directory, or of a directory between a root and the
	 * working directory. Commands cannot rename such a git directory.
	 */
	isOwn(gitDirectory: string): boolean;
	isReadOnly(path: string): boolean;
	/** Whether commands can see and change the path. If they cannot see it, a mount at the path would reveal it. */
	isOpen(path: string): boolean;
}

type Mount = readonly string[];

/**
 * Mounts that protect one directory, such as a repository, a working tree or a directory with skills. `of`: path of the
 * directory.
 */
export interface MountGroup {
	readonly of: string;
	readonly mounts: readonly Mount[];
}

/**
 * Resolves with groups of mounts that protect repositories and `.git` files. The repositories keep their order, and the
 * `.git` files follow. Each mount makes the start of a command slower.
 */
export async function protectGit(repositories: Repositories, places: Protected): Promise<MountGroup[]> {
	const directories = repositories.directories.filter(({ path }) => !places.isReadOnly(path));
	const pointers = repositories.pointers.filter((path) => !places.isReadOnly(path));
	const groups = await Promise.all(
		directories.map(async (directory) => ({
			of: ownerOf(directory.path),
			mounts: await protectParts(directory, places),
		})),
	);
	// A `.git` file contains the path of a repository, and a command could change the path in the file.
	return [
		...groups,
		...pointers.map((path) => ({ of: ownerOf(path), mounts: [["--ro-bind-try", path, path]] })),
	];
}

function ownerOf(path: string): string {
	return path.endsWith("/.git") ? dirname(path) : path;
}

/**
 * Returns mounts that prevent commands from renaming own repositories (see `isOwn`) and the `modules` directories in
 * own repositories. The mounts must precede all other mounts in own repositories.
 */
export async function pinRepositories(
	repositories: Repositories,
	{ isOwn, isReadOnly }: Protected,
): Promise<Mount[]> {
	const own = repositories.directories.map(({ path }) => path).filter(isOwn);
	const modules = repositories.directories
		.map(({ path }) => dirname(path))
		.filter((path) => own.some((one) => path === join(one, "modules")));
	return [...new Set([...own, ...modules])]
		.filter((path) => !isReadOnly(path))
		.map((path) => ["--bind", path, path]);
}

async function protectParts({ path, parts, complete }: GitDirectory, places: Protected): Promise<Mount[]> {
	const mounts = await Promise.all(
		[...parts].map(async ([name, { isLink }]): Promise<Mount[]> => {
			const part = join(path, name);
			return isLink ? protectTarget(part, path, places) : [["--ro-bind-try", part, part]];
		}),
	);
	const hooks = join(path, "hooks");
	const opens = !parts.has("hooks") && !parts.has("commondir") && (complete || places.isOwn(path));
	if (!opens) return mounts.flat();
	return [...mounts.flat(), ["--tmpfs", hooks], ["--remount-ro", hooks]];
}

/**
 * Resolves with a mount for the target of a link, because bubblewrap cannot mount on a link. Omits the target if
 * commands cannot change it, or if it contains the repository. The link itself is checked after the command.
 */
async function protectTarget(link: string, gitDirectory: string, places: Protected): Promise<Mount[]> {
	const real = await ifThere(realpath(link));
	if (real === undefined || !places.isOpen(real) || isWithin(gitDirectory, real)) return [];
	const stats = await ifThere(lstat(real));
	return stats?.isDirectory() || stats?.isFile() ? [["--ro-bind-try", real, real]] : [];
}

/** Tolerance in milliseconds for file times, which lag behind the clock by up to one tick of the kernel. */
const TICK_MS = 50;
/** Maximum configuration files that git reads after a command. Each file takes a few hundredths of a second. */
const MAX_EXAMINED = 50;

/** The repositories before and after a command. */
export interface RepositoryChanges extends GitRunner {
	readonly roots: readonly string[];
	readonly before: Repositories;
	readonly after: Repositories;
	/** Start time of the command, in milliseconds since the epoch. */
	readonly startedMs: number;
	/** Paths with an earlier change that could not be reverted. These paths are treated as changed. */
	readonly remaining: ReadonlySet<string>;
	/** Returns an unguessable name, a different one on each call. */
	name(): string;
	/** Renames a file or directory. Records the failure if the rename fails. Never rejects. */
	putAside(path: string): Promise<void>;
	/** Whether the time for reading settings is over. */
	isLate(): boolean;
}

/** Settings that were removed from a file. `copy`: path of a copy of the file before the removal. */
export interface RemovedSettings {
	readonly path: string;
	readonly names: readonly string[];
	readonly copy: string;
}

/**
 * Prevents git from running programs that a command has chosen. Examines new repositories, and the changed parts of
 * known repositories. Renames hooks, and removes settings that name programs. Renames a file that cannot be examined.
 * Resolves with the removed settings.
 */
export async function disableGitPrograms(changes: RepositoryChanges): Promise<RemovedSettings[]> {
	const removed: RemovedSettings[] = [];
	const known = new Map(changes.before.directories.map((directory) => [directory.id, directory]));
	let remaining = MAX_EXAMINED;
	for (const directory of changes.after.directories) {
		const old = known.get(directory.id);
		const isAlien = old === undefined && !isNew(directory, changes);
		for (const [part, { print, isLink }] of directory.parts) {
			const path = join(directory.path, part);
			if (!changes.remaining.has(path) && (isAlien || old?.parts.get(part)?.print === print)) continue;
			if (part === "config" || part === "config.worktree") remaining -= 1;
			const mayExamine = !isLink && remaining >= 0 && !changes.isLate();
			removed.push(...(await disablePart({ path, part, isKnown: old !== undefined, mayExamine }, changes)));
		}
	}
	return removed;
}

/** Whether the git directory did not exist before the command. */
function isNew({ createdMs, path }: GitDirectory, { before, startedMs }: RepositoryChanges): boolean {
	// If the earlier search did not reach the path, the creation time decides.
	return wasSearched(path, before) || createdMs >= startedMs - TICK_MS;
}

interface ChangedPart {
	readonly path: string;
	readonly part: Steering;
	/** Whether the search before the command found the repository. */
	readonly isKnown: boolean;
	readonly mayExamine: boolean;
}

async function disablePart(
	{ path, part, isKnown, mayExamine }: ChangedPart,
	changes: RepositoryChanges,
): Promise<RemovedSettings[]> {
	// A hooks directory that cannot be read is treated as one that contains hooks.
	const isHarmless = part === "hooks" && !(await hasHooks(path).catch(() => true));
	// The repository at the target of `commondir` is examined separately.
	if (isHarmless || (part === "commondir" && !isKnown)) return [];
	if (mayExamine && part !== "hooks" && part !== "commondir") {
		const copy = `${path}.held-back-${changes.name()}`;
		const names = await removeProgramSettings({ ...changes, path, copy }).catch(() => undefined);
		if (names !== undefined) return names.length > 0 ? [{ path, names, copy }] : [];
	}
	await changes.putAside(path);
	return [];
}

/**
 * Minimum size in bytes of a configuration file that is renamed without examination. Usual configuration files have a
 * few hundred bytes.
 */
const MAX_BYTES = 256 * 1024;
/** Maximum settings that are removed from a file. A file with more settings to remove is renamed. */
const MAX_NAMES = 20;

const LIST = 'exec 2>/dev/null; exec git config --file "$1" --no-includes --null --list';
const REMOVE_SETTINGS =
	'f=$1; cp -p -- "$1" "$2" || exit 1; shift 2; for n; do git config --file "$f" --unset-all "$n" || exit 1; done';

/**
 * Names of sections. All settings in these sections are removed, because they can name or enable a program or a
 * configuration file.
 */
const sections = [
	"alias",
	"include",
	"includeif",
	"hook",
	"pager",
	"credential",
	"protocol",
	"filter",
	"sendemail",
	"difftool",
	"mergetool",
	"guitool",
	"man",
	"browser",
	"instaweb",
	"imap",
	"trailer",
	"tar",
	"svn-remote",
	"svn",
	"annex",
];
/**
 * Keys of settings. A setting with one of these keys is removed from any section, because it can name or enable a
 * program: https://git-scm.com/docs/git-config#_variables
 */
const keys = [
	"hookspath",
	"sshcommand",
	"gitproxy",
	"askpass",
	"editor",
	"pager",
	"alternaterefscommand",
	"external",
	"command",
	"textconv",
	"driver",
	"difffilter",
	"program",
	"defaultkeycommand",
	"helper",
	"templatedir",
	"recentobjectshook",
	"packobjectshook",
	"vcs",
	"uploadpack",
	"receivepack",
	"cmd",
	"path",
	"clean",
	"smudge",
	"process",
	"browser",
];
/** Pattern of a key that names a command for a program other than git, such as `remote.x.annex-shell-command`. */
const runningKey = /command(?:-options)?$/;
/** Keys of settings that are removed only if their value is unsafe. */
const judged = ["fsmonitor", "worktree"];
/**
 * Pattern that matches the text of a file if the file may contain a setting to remove. Git accepts names in any case,
 * so the pattern ignores case.
 */
const suspicious = new RegExp(
	String.raw`!|ext::|command|\b(?:${[...sections, ...keys, ...judged].join("|")})\b`,
	"i",
);

export interface SettingsOf extends GitRunner {
	readonly path: string;
	readonly roots: readonly string[];
	readonly copy: string;
}

export interface GitRunner {
	/**
	 * Runs a shell script in a sandbox. If `power` is `read`, the script cannot change files in the roots. Resolves
	 * with undefined if the script cannot start.
	 */
	git(script: string, args: readonly string[], power: "read" | "steer"): Promise<CommandOutcome | undefined>;
}

/**
 * Removes the settings for which `mustBeRemoved` is true. Resolves with the names of the removed settings, or with
 * undefined if the file must be renamed instead.
 */
async function removeProgramSettings(settings: SettingsOf): Promise<readonly string[] | undefined> {
	const text = await readStart(settings.path, MAX_BYTES);
	if (text === undefined || Buffer.byteLength(text) >= MAX_BYTES) return undefined;
	if (!suspicious.test(text)) return [];
	const list = await settings.git(LIST, [settings.path], "read");
	if (list?.code !== 0 || list.timedOut) return undefined;
	// `OutputWindow` replaces NUL with U+FFFD.
	const entries = list.output.split("\u{fffd}").map((entry) => entry.split(/\n(.*)/s));
	const unsafe = entries.filter(([name = "", value = "true"]) => mustBeRemoved(name, value, settings));
	const names = [...new Set(unsafe.map(([name = ""]) => name))];
	if (names.length === 0) return [];
	if (names.length > MAX_NAMES) return undefined;
	const outcome = await settings.git(REMOVE_SETTINGS, [settings.path, settings.copy, ...names], "steer");
	return outcome?.code === 0 && !outcome.timedOut ? names : undefined;
}

/** Whether the setting could make git run a program or change files outside the roots. */
function mustBeRemoved(
	name: string,
	value: string,
	{ path, roots }: { readonly path: string; readonly roots: readonly string[] },
): boolean {
	// Git prints the names of sections and keys in lower case.
	const section = name.slice(0, name.indexOf("."));
	const key = name.slice(name.lastIndexOf(".") + 1);
	// The value is a program, or a boolean that controls git's built-in monitor.
	if (key === "fsmonitor") return !/^(?:true|false|yes|no|on|off|\d+|)$/i.test(value);
	// Submodules use `core.worktree`. With a path outside the roots, git could overwrite files at that path.
	if (name === "core.worktree") return !roots.some((root) => isWithin(resolve(dirname(path), value), root));
	if (/^url\.(?:ext::|!)/i.test(name) || runningKey.test(key)) return true;
	return sections.includes(section) || keys.includes(key) || /^(?:!|ext::)/.test(value);
}

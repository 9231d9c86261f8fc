import {
	accessSync,
	constants,
	lstatSync,
	mkdirSync,
	readlinkSync,
	realpathSync,
	statSync,
	symlinkSync,
	unlinkSync,
} from "node:fs";
import { basename, delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { root } from "./paths.mjs";

const name = "parley";
const launcher = join("packages", "cli", "bin", "parley.mjs");

/** Preferred directories, relative to the home directory. */
const preferred = [join(".local", "bin"), "bin"];

/**
 * Creates a link to the command of this clone, so that the user's shell finds the command. The link is in a directory
 * of the PATH inside the home directory. Never replaces another program's file.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} [clone]
 * @returns {{ link?: string, line?: string }} The created link. A line for the shell, if the shell does not find the
 * command of this clone.
 */
export function linkCommand(environment, clone = root) {
	const program = join(clone, launcher);
	const folders = ownFolders(environment);
	const found = folders.map((folder) => join(folder, name)).find(isProgram);
	if (found !== undefined) {
		const own = [program, join(clone, "bin", name)].map((file) => realpathSync(file));
		return own.includes(realpathSync(found)) ? {} : { line: shellLine(environment, clone) };
	}
	for (const folder of candidates(folders, environment["HOME"] ?? "")) {
		const link = join(folder, name);
		if (makeLink(link, program)) return { link };
	}
	return { line: shellLine(environment, clone) };
}

/**
 * Returns the directories of the PATH, except those that npm adds: those of installed packages, and its own
 * `node-gyp-bin`.
 * @param {NodeJS.ProcessEnv} environment
 */
function ownFolders({ PATH = "" }) {
	const added = new RegExp(`(?:node_modules\\${sep}\\.bin|node-gyp-bin)\\${sep}?$`);
	return PATH.split(delimiter).filter((folder) => isAbsolute(folder) && !added.test(folder));
}

/**
 * Returns the directories for a link, preferred directories first. Hidden directories that are not preferred are
 * omitted, because they belong to tools that may remove foreign files.
 * @param {readonly string[]} folders
 * @param {string} home
 */
function candidates(folders, home) {
	// With sudo, the home directory may belong to another user.
	if (!isAbsolute(home) || resolve(home) === sep || !isOwnDirectory(home)) return [];
	const usual = folders.find((folder) => relative(home, folder) === preferred[0]);
	if (usual !== undefined) makeDirectory(usual);
	const realHome = realpathSync(home);
	const own = folders.filter((folder) => isOwnDirectory(folder) && isBelow(realHome, realpathSync(folder)));
	// The PATH may contain the path of the home directory with or without a link.
	const nameOf = (/** @type {string} */ folder) =>
		relative(isBelow(resolve(home), resolve(folder)) ? home : realHome, folder);
	const inHome = new Map(own.map((folder) => [nameOf(folder), folder]));
	const others = [...inHome.keys()].filter((path) => !path.split(sep).some((part) => part.startsWith(".")));
	const names = [...preferred, ...others.filter((path) => !preferred.includes(path))];
	return names.flatMap((path) => inHome.get(path) ?? []);
}

/** @param {string} path */
function isOwnDirectory(path) {
	try {
		const found = statSync(path);
		return found.isDirectory() && found.uid === process.getuid?.();
	} catch {
		return false;
	}
}

/**
 * @param {string} home
 * @param {string} folder
 */
function isBelow(home, folder) {
	return folder.startsWith(home + sep);
}

/** @param {string} folder */
function makeDirectory(folder) {
	try {
		mkdirSync(folder, { recursive: true });
	} catch {
		// The next directory may permit the link.
	}
}

/**
 * Creates the link, or replaces a link to a removed clone. Returns false if this user may not write in the directory
 * of the link, or if another file has the name.
 * @param {string} link
 * @param {string} program
 */
function makeLink(link, program) {
	try {
		if (isOfRemovedClone(link)) unlinkSync(link);
		symlinkSync(program, link);
		return true;
	} catch {
		return false;
	}
}

/** @param {string} link */
function isOfRemovedClone(link) {
	const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	if (!isLink || statSync(link, { throwIfNoEntry: false })) return false;
	return readlinkSync(link).endsWith(sep + launcher);
}

/** @param {string} file */
function isProgram(file) {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}

/**
 * Returns the line that lets the user's shell find the command of the clone.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} clone
 */
function shellLine({ SHELL = "" }, clone) {
	const folder = join(clone, "bin");
	const quoted = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
	return basename(SHELL) === "fish" ? `fish_add_path ${quoted}` : `export PATH=${quoted}:"$PATH"`;
}

import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";

/** One or more options of bubblewrap with their values: https://man.archlinux.org/man/bwrap.1 */
export type Mount = readonly string[];

/** Top-level directories of programs. On some distributions, some of these directories are links. */
const topLevel = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
/** Directories of programs outside /usr. By design, every user may read them. */
const stores = ["/nix/store", "/gnu/store"];

/**
 * Parts of /etc that programs read, for example for the dynamic linker and for TLS. These parts contain no accounts and
 * no settings of services.
 */
const settings = [
	"ld.so.cache",
	"ld.so.conf",
	"ld.so.conf.d",
	"alternatives",
	"localtime",
	"timezone",
	"mime.types",
	"ssl/certs",
	"ssl/openssl.cnf",
	"pki/tls/certs",
	"pki/tls/cert.pem",
	"pki/tls/openssl.cnf",
	"pki/ca-trust/extracted",
	"ca-certificates/extracted",
	"crypto-policies",
	"services",
	"protocols",
	"os-release",
	"debian_version",
	"terminfo",
	"inputrc",
	"fonts",
	"static/ssl",
];
/** Pattern of directories in /etc with settings of Java, Perl and Python on Debian. */
const runtimeSettings = /^(?:java-|perl$|python3)/;

/**
 * Program directories of version managers and package managers, relative to the home directory. If the directory of a
 * manager may contain keys, only a subdirectory without keys is listed.
 */
const toolchains = [
	".nvm",
	".pyenv",
	".rbenv",
	".nodenv",
	".goenv",
	".asdf",
	".rustup",
	".volta",
	".sdkman/candidates",
	".cargo/bin",
	".bun/bin",
	".deno/bin",
	"go/bin",
	".local/bin",
	".local/lib",
	".local/share/mise",
	".local/share/pipx",
	".local/share/uv",
	".local/share/fnm",
	".local/share/pnpm",
];

interface Surroundings {
	/** PATH in the environment of the gateway. */
	readonly path: string;
	/** Absolute path of the home directory. Undefined if the user has no home directory. */
	readonly home: string | undefined;
}

/** Parts of the host system that commands see. The parts are read-only for commands. */
export interface SystemLayout {
	/** Mounts of the system's programs, and of the files that the programs need. */
	readonly base: readonly Mount[];
	readonly tools: readonly ToolDirectory[];
}

/**
 * A program directory that commands see at `path`. If `path` is a link, the link is resolved only once, because a
 * command may be able to change the link later.
 */
interface ToolDirectory {
	readonly path: string;
	/** Real path of the directory, or `path` if the directory does not exist. */
	readonly source: string;
}

/** Returns the parts of the host system that commands see. */
export async function describeSystem({ path, home }: Surroundings): Promise<SystemLayout> {
	const known = home === undefined ? [] : toolchains.map((name) => join(home, name));
	return {
		base: [
			["--ro-bind-try", "/usr", "/usr"],
			...(await mapExisting(topLevel.map((name) => `/${name}`))),
			...(await mapExisting([...stores, "/run/current-system"])),
			["--perms", "0755", "--dir", "/etc"],
			...(await settingsOfSystem()).map(readOnly),
		],
		tools: await Promise.all(
			[...known, ...(await programDirectories(path.split(":"), home))].map(async (directory) => ({
				path: directory,
				source: (await ifThere(realpath(directory))) ?? directory,
			})),
		),
	};
}

/** Whether a path belongs to the system's programs. */
export function isOfSystem(path: string): boolean {
	return ["/usr", ...stores, ...topLevel.map((name) => `/${name}`)].some((known) => isWithin(path, known));
}

/**
 * Returns a mount that binds `path` read-only at the same path in the sandbox. The mount has no effect if `path` does
 * not exist.
 */
export function readOnly(path: string): Mount {
	return ["--ro-bind-try", path, path];
}

async function settingsOfSystem(): Promise<string[]> {
	const entries = (await ifThere(readdir("/etc"))) ?? [];
	const names = [...settings, ...entries.filter((entry) => runtimeSettings.test(entry))];
	return names.map((name) => `/etc/${name}`);
}

/**
 * Returns a mount for each path that is a directory or a link. A link is copied, so that it has the same target in the
 * sandbox. Omits other paths.
 */
async function mapExisting(paths: readonly string[]): Promise<Mount[]> {
	const found = await Promise.all(
		paths.map(async (path): Promise<Mount[]> => {
			const stats = await ifThere(lstat(path));
			if (!stats) return [];
			if (stats.isSymbolicLink()) return [["--symlink", await readlink(path), path]];
			return stats.isDirectory() ? [["--ro-bind", path, path]] : [];
		}),
	);
	return found.flat();
}

/**
 * Returns directories from `entries`, the parts of PATH. Omits directories in a system directory or in the home
 * directory. For `…/bin` and `…/sbin`, returns the parent directory instead, because the parent directory contains
 * further files of the program.
 */
async function programDirectories(entries: readonly string[], home: string | undefined): Promise<string[]> {
	const found = new Set<string>();
	for (const entry of entries.filter(isAbsolute)) {
		const real = await ifThere(realpath(entry));
		if (real === undefined || isOfSystem(real)) continue;
		const programDirectory = /^s?bin$/.test(basename(entry)) ? dirname(entry) : entry;
		if (isNarrow(programDirectory, home)) found.add(programDirectory);
	}
	return [...found];
}

function isNarrow(path: string, home: string | undefined): boolean {
	if (path.split("/").filter(Boolean).length < 2) return false;
	return home === undefined || !(isWithin(path, home) || isWithin(home, path));
}

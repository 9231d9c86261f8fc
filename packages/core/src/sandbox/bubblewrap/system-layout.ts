import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";

/** One or more options of bubblewrap with their values: https://man.archlinux.org/man/bwrap.1 */
export type Mount = readonly string[];

/** Top-level directories of programs. On some distributions, some of them are links. */
const topLevel = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
/** Directories of programs outside /usr. By design, every user may read them. */
const stores = ["/nix/store", "/gnu/store"];

/**
 * Parts of /etc that programs read, for example the dynamic linker and TLS libraries. They contain no settings of
 * services and no accounts.
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
 * Program directories of version managers and package managers in a home directory. If the directory of a tool may
 * contain keys, only a part without keys is listed.
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
	/** PATH of the operator's own commands. */
	readonly path: string;
	/** Absolute path of the home directory, if any. */
	readonly home: string | undefined;
}

/** Parts of this system that commands see read-only. */
export interface SystemLayout {
	/** The system's programs, and the files that these programs need. */
	readonly base: readonly Mount[];
	readonly tools: readonly ToolDirectory[];
}

/**
 * A directory that commands see at `path`. A link at this path is resolved once, because a command may be able to
 * change it later.
 */
interface ToolDirectory {
	readonly path: string;
	/** Real path of the directory, or `path` if the directory does not exist. */
	readonly source: string;
}

/** Returns the parts of this system that commands see. */
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

/** Returns a mount that binds the path, if it exists, read-only at the same path. */
export function readOnly(path: string): Mount {
	return ["--ro-bind-try", path, path];
}

async function settingsOfSystem(): Promise<string[]> {
	const entries = (await ifThere(readdir("/etc"))) ?? [];
	const names = [...settings, ...entries.filter((entry) => runtimeSettings.test(entry))];
	return names.map((name) => `/etc/${name}`);
}

/**
 * Returns mounts of the paths that are directories or links. Copies links, so that a link has the same target in the
 * sandbox.
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
 * Returns the directories in `entries`, the parts of PATH, that are neither in a system directory nor in the home
 * directory. For `…/bin` and `…/sbin`, returns the parent directory, which contains further files of the program.
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

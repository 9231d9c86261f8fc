import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../tools/paths.ts";
import { ifThere } from "./if-there.ts";

/** One step of building the inside, as bubblewrap takes it: https://man.archlinux.org/man/bwrap.1 */
export type Mount = readonly string[];

/** What programs of the system are made of. Distributions have some of these as directories, others as links. */
const topLevel = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
/** Where systems keep programs that are not below /usr: all may read them, by design. */
const stores = ["/nix/store", "/gnu/store"];

/** Of /etc: what the dynamic linker, TLS libraries and language runtimes read. No settings of services, no accounts. */
const settings = [
	...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "mime.types"],
	...["ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf"],
	...["pki/ca-trust/extracted", "ca-certificates/extracted", "crypto-policies", "services", "protocols"],
	...["os-release", "debian_version", "terminfo", "inputrc", "fonts", "static/ssl"],
];
/** Debian keeps settings of Java and Perl here, without which they do not start. */
const runtimeSettings = /^(?:java-|perl$|python3)/;

/**
 * Where version managers keep programs below a home directory. None of these holds keys: `.cargo` and `.bun`, for
 * instance, hold some beside them.
 */
const toolchains = [
	...[".nvm", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".asdf", ".rustup", ".volta", ".sdkman/candidates"],
	...[".cargo/bin", ".bun/bin", ".deno/bin", "go/bin", ".local/bin", ".local/lib"],
	...[".local/share/mise", ".local/share/pipx", ".local/share/uv", ".local/share/fnm", ".local/share/pnpm"],
];

interface Surroundings {
	/** Of the operator's own commands. */
	readonly path: string;
	/** Absolute, or undefined where there is none. */
	readonly home: string | undefined;
}

/** The parts of this system that commands see, read only. */
export interface SystemLayout {
	/** Programs of the system, and what these cannot do without. */
	readonly base: readonly Mount[];
	/** Directories with further programs, wherever they are. */
	readonly tools: readonly ToolDirectory[];
}

/** A directory that commands see at `path`. A link there is followed once: a command may be able to change it later. */
export interface ToolDirectory {
	readonly path: string;
	/** Real path, or `path` if nothing was there. */
	readonly source: string;
}

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

/** Whether programs of the system are there. */
export function isOfSystem(path: string): boolean {
	return ["/usr", ...stores, ...topLevel.map((name) => `/${name}`)].some((known) => isWithin(path, known));
}

export function readOnly(path: string): Mount {
	return ["--ro-bind-try", path, path];
}

async function settingsOfSystem(): Promise<string[]> {
	const entries = (await ifThere(readdir("/etc"))) ?? [];
	const names = [...settings, ...entries.filter((entry) => runtimeSettings.test(entry))];
	return names.map((name) => `/etc/${name}`);
}

/** Links stay links, so that what they lead to is what is seen. */
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

/** Directories of PATH that lie elsewhere: of `…/bin` all that belongs to the same program. */
async function programDirectories(entries: readonly string[], home: string | undefined): Promise<string[]> {
	const found = new Set<string>();
	for (const entry of entries.filter(isAbsolute)) {
		const real = await ifThere(realpath(entry));
		if (real === undefined || isOfSystem(real)) continue;
		const whole = /^s?bin$/.test(basename(entry)) ? dirname(entry) : entry;
		if (isNarrow(whole, home)) found.add(whole);
	}
	return [...found];
}

/** Nothing in a home directory beyond the known ones, no home directory itself, nothing that holds one, not all of /. */
function isNarrow(path: string, home: string | undefined): boolean {
	if (path.split("/").filter(Boolean).length < 2) return false;
	return home === undefined || !(isWithin(path, home) || isWithin(home, path));
}

import { existsSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { definedItems } from "@parley/base";
import { ownAccount } from "@parley/base/own-account";
import { isWithin } from "../../filesystem/paths.ts";
import { isOfSystem, type Mount, readOnly, type SystemLayout } from "./system-layout.ts";

interface Bound {
	readonly layout: SystemLayout;
	/** Real paths of the roots. */
	readonly roots: readonly string[];
	readonly cwd: string;
}

export interface Inside extends Bound {
	/** Directories that commands may read although a hidden directory contains them. The directories need not exist. */
	readonly readable: readonly string[];
	/**
	 * Hidden directories, such as the data directory. In a hidden directory, commands see only roots and `readable`
	 * directories.
	 */
	readonly hidden: readonly string[];
	readonly home: string | undefined;
	/** Absolute path of the program. */
	readonly program: string;
	readonly writable: boolean;
	/** Directories in the roots. No command may rename them. */
	readonly fixed: readonly string[];
	/** Mounts that protect parts of the roots. The sandbox applies them after the mounts of the roots. */
	readonly protections: readonly Mount[];
	/** Files that are created inside the sandbox and may hide files of the host. */
	readonly files: readonly TextFile[];
}

interface MemorySizes {
	readonly tmp: number;
	readonly home: number;
	readonly varTmp: number;
	readonly shm: number;
}

export interface TextFile {
	readonly path: string;
	readonly text: string;
}

/** Descriptor of the first file. Bubblewrap reads its arguments from descriptor 3. */
export const FIRST_FILE = 4;
/**
 * Limits for all in-memory directories of one command together: bytes, and share of the machine's memory. The lower
 * limit applies.
 */
const MAX_MEMORY_BYTES = 2 * 1024 ** 3;
const MEMORY_PART = 1 / 4;
/**
 * Bytes of a memory page. The size of an in-memory directory is a multiple of a page. A directory in which commands
 * cannot write has one page.
 */
const PAGE_BYTES = 4096;
const kernel = ["/proc", "/sys", "/dev"];
/**
 * Paths in /proc that user 0 can write to without a capability. Bubblewrap itself covers only paths that it finds
 * writable, and therefore not `/proc/sys`, in which only the files are writable.
 */
const kernelSwitches = [
	"/proc/sys",
	"/proc/sysrq-trigger",
	"/proc/mtrr",
	"/proc/acpi",
	"/proc/scsi",
	"/proc/fs",
];
const KEYS = "/proc/keys";

/** Directories in which system services have their sockets. */
export const serviceDirectories = ["/run", "/var/run"];

/** Returns the places of `openPlaces` and the tool directories. */
export function boundPlaces(inside: Bound): string[] {
	return [...openPlaces(inside), ...toolPaths(inside.layout)];
}

/**
 * Returns the directories that a command sees because of its session: the roots and the working directory. Omits a
 * working directory in a root, a tool directory or a system directory.
 */
export function openPlaces(inside: Bound): string[] {
	return [...inside.roots, ...elsewhere(inside)];
}

/**
 * Whether a path is in a kernel directory or a service directory. If so, the path is not bound in the sandbox and needs
 * no cover.
 */
export function isUnbound(path: string): boolean {
	return [...kernel, ...serviceDirectories].some((place) => isWithin(path, place));
}

/**
 * Returns the mounts of the sandbox, in order, and the texts of the mounted files. Bubblewrap reads the texts from
 * descriptors 4 and higher.
 */
export function buildInside(inside: Inside): { readonly mounts: Mount[]; readonly texts: string[] } {
	const { roots, cwd, layout } = inside;
	const isRoot = cwd === "/";
	const sizes = memorySizes();
	const texts: string[] = [];
	const place = ({ path, text }: TextFile): Mount => {
		texts.push(text);
		return ["--perms", "0644", "--ro-bind-data", String(FIRST_FILE + texts.length - 1), path];
	};
	const [settings, own] = partition(inside.files, ({ path }) => isWithin(path, "/etc"));
	const isOpen = (path: string): boolean =>
		[...roots, ...elsewhere(inside)].some((one) => isWithin(path, one));
	return {
		mounts: [
			...(isRoot ? [["--ro-bind", "/", "/"]] : [...layout.base, ...settings.map(place)]),
			...kernelMounts(sizes),
			...withoutServices(inside),
			...(isRoot ? [] : withinReach(inside, sizes)),
			...own.filter(({ path }) => !isOpen(path)).map(place),
			...bindRoots(inside),
			...inside.protections,
			...shownServices(inside).map((path) => ["--remount-ro", path]),
			// Bubblewrap creates /dev without a size limit, so /dev is mounted read-only. The devices in /dev are separate
			// mounts and stay writable.
			["--remount-ro", "/dev"],
			["--remount-ro", "/"],
		],
		texts,
	};
}

function withinReach(inside: Inside, sizes: MemorySizes): Mount[] {
	return definedItems([
		temporary("1777", "/tmp", sizes.tmp),
		temporary("1777", "/var/tmp", sizes.varTmp),
		inside.home === undefined ? undefined : temporary("0700", inside.home, sizes.home),
		...inside.layout.tools.map(({ source, path }) => ["--ro-bind-try", source, path]),
		seesProgram(inside) ? undefined : readOnly(inside.program),
		...elsewhere(inside).map(readOnly),
	]);
}

function temporary(mode: string, path: string, bytes: number): Mount {
	return ["--perms", mode, "--size", String(bytes), "--tmpfs", path];
}

/**
 * Returns the sizes in bytes of a command's writable in-memory directories. `memory`: the available memory in bytes.
 */
export function memorySizes(memory = availableMemory()): MemorySizes {
	const all = Math.min(MAX_MEMORY_BYTES, memory * MEMORY_PART);
	const sizeOf = (part: number): number => Math.max(1, Math.floor((all * part) / PAGE_BYTES)) * PAGE_BYTES;
	return { tmp: sizeOf(3 / 8), home: sizeOf(3 / 8), varTmp: sizeOf(1 / 8), shm: sizeOf(1 / 8) };
}

function availableMemory(): number {
	const limit = process.constrainedMemory();
	// If there is no limit, `constrainedMemory` returns 0 or more than the memory of the machine.
	return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Returns mounts that empty the service directories, except for system programs and the working directory. */
function withoutServices(inside: Inside): Mount[] {
	const { cwd, layout } = inside;
	return shownServices(inside).flatMap((path): Mount[] =>
		definedItems([
			temporary("0755", path, PAGE_BYTES),
			...layout.base.filter((mount) => isWithin(mount.at(-1) ?? "", path)),
			isWithin(cwd, path) ? ["--dir", cwd] : undefined,
		]),
	);
}

function shownServices({ cwd }: Inside): string[] {
	const seen = serviceDirectories.filter((path) => isWithin(cwd, path) || isWithin(path, cwd));
	return seen.filter((path) => existsSync(path) && realpathSync(path) === path);
}

function kernelMounts(sizes: MemorySizes): Mount[] {
	return definedItems([
		["--proc", "/proc"],
		...kernelSwitches.filter((path) => existsSync(path)).map((path) => ["--ro-bind", path, path]),
		// Even if the command has its own keyring, the file lists the keys that the user has outside the sandbox:
		// keyrings(7).
		existsSync(KEYS) ? ["--ro-bind", "/dev/null", KEYS] : undefined,
		["--dev", "/dev"],
		temporary("1777", "/dev/shm", sizes.shm),
	]);
}

/**
 * Returns the mounts of the roots and the readable paths. Parent directories precede their subdirectories. A root in a
 * hidden directory follows the mount that hides the directory.
 */
function bindRoots(inside: Inside): Mount[] {
	const isHidden = (path: string): boolean => inside.hidden.some((place) => isWithin(path, place));
	// The kernel lets no command rename a mount point, even if a directory is only bound to itself.
	const fixed = inside.writable ? inside.fixed.filter((path) => !isHidden(path)) : [];
	const sorted = [...inside.roots, ...fixed].toSorted((one, other) => one.length - other.length);
	const [below, free] = partition(sorted, isHidden);
	const bind = (path: string): Mount => [inside.writable ? "--bind" : "--ro-bind", path, path];
	const covered = hiddenParts(inside);
	return [
		...free.map(bind),
		...covered.map((path) => ["--tmpfs", path]),
		...below.map(bind),
		...inside.readable.map((path) => ["--ro-bind-try", path, path]),
		...covered.map((path) => ["--remount-ro", path]),
	];
}

/** Returns the working directory if no other mount contains it. */
function elsewhere({ cwd, roots, layout }: Bound): string[] {
	const known =
		[...roots, ...kernel, ...serviceDirectories, ...toolPaths(layout)].some((place) =>
			isWithin(cwd, place),
		) || isOfSystem(cwd);
	// A person or the policy has approved that the command reads the working directory.
	return known ? [] : [cwd];
}

function toolPaths({ tools }: SystemLayout): string[] {
	return tools.map(({ path }) => path);
}

function seesProgram(inside: Inside): boolean {
	const places = boundPlaces(inside);
	return isOfSystem(inside.program) || places.some((place) => isWithin(inside.program, place));
}

/**
 * Returns the hidden directories that exist in a bound place or in /usr, and that commands would therefore see without
 * a cover.
 */
function hiddenParts(inside: Inside): string[] {
	const open = [...boundPlaces(inside), "/usr"];
	return inside.hidden.filter((path) => existsSync(path) && open.some((place) => isWithin(path, place)));
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
	return [items.filter(test), items.filter((item) => !test(item))];
}

/**
 * Returns the files in /etc that name accounts and hosts. They name only the following accounts and hosts:
 * - the sandbox itself, as `localhost` and `sandbox`
 * - the gateway's user and its group
 * - the user and the group 65534, which the sandbox shows for files of all other users
 */
export function accounts(home: string | undefined): TextFile[] {
	const { username, uid, gid } = ownAccount();
	const user = username.replaceAll(/[:\n]/g, "_");
	return [
		{
			path: "/etc/passwd",
			text: `${user}:x:${uid}:${gid}::${home ?? "/"}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
		},
		{ path: "/etc/group", text: `${user}:x:${gid}:\nnogroup:x:65534:\n` },
		{ path: "/etc/hosts", text: "127.0.0.1 localhost sandbox\n::1 localhost\n" },
	];
}

/**
 * Returns the git settings file in the home directory, with the text `text`. Returns an empty list if there is no home
 * directory or `text` is empty.
 */
export function gitFile(home: string | undefined, text: string): TextFile[] {
	return home === undefined || text === "" ? [] : [{ path: `${home}/.gitconfig`, text }];
}

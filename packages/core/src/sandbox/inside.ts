import { existsSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { isWithin } from "../tools/paths.ts";
import { isOfSystem, type Mount, readOnly, type SystemLayout } from "./system-layout.ts";

/** What one command sees and may change. */
export interface Inside {
	readonly layout: SystemLayout;
	/** Real paths. */
	readonly roots: readonly string[];
	/** What no command may see, wherever it lies: the data directory. A root below it is seen alone. */
	readonly hidden: readonly string[];
	readonly home: string | undefined;
	readonly cwd: string;
	/** Absolute. */
	readonly program: string;
	readonly writable: boolean;
	/** Directories within the roots that no command may rename. */
	readonly fixed: readonly string[];
	/** What comes last: protections within the roots. */
	readonly protections: readonly Mount[];
	/** Made for the inside: what stands there in place of the host's. */
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

/** The descriptor of the first file: 3 has the arguments themselves. */
export const FIRST_FILE = 4;
/** Maximum of bytes in all directories in memory together. On a small machine it is this part of the memory. */
const MAX_MEMORY_BYTES = 2 * 1024 ** 3;
const MEMORY_PART = 1 / 4;
/** Sizes are multiples of a page. The smallest one is for directories in which nothing can be written. */
const PAGE_BYTES = 4096;
/** Whose answers are about the inside: nothing of the host's is put there. */
const kernel = ["/proc", "/sys", "/dev"];
/**
 * What of /proc the kernel lets its user 0 write without any capability. Bubblewrap covers what its own test finds
 * writable, and a directory such as /proc/sys is not, though the files in it are.
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

/** Where services of the system have their sockets. */
export const serviceDirectories = ["/run", "/var/run"];

/** What of the host's stands inside, beyond the system's own, and may have sockets in it. */
export function boundPlaces(inside: Pick<Inside, "cwd" | "roots" | "layout">): string[] {
	return [...openPlaces(inside), ...toolPaths(inside.layout)];
}

/** Directories that a command sees because of its session: the roots, and its own working directory elsewhere. */
export function openPlaces(inside: Pick<Inside, "cwd" | "roots" | "layout">): string[] {
	return [...inside.roots, ...elsewhere(inside)];
}

/** Whether nothing of the host's stands there, whatever is bound. */
export function isUnbound(path: string): boolean {
	return [...kernel, ...serviceDirectories].some((place) => isWithin(path, place));
}

/** The steps by which the inside is built, each on top of those before, and the texts that they read from 4 on. */
export function buildInside(inside: Inside): { readonly mounts: Mount[]; readonly texts: string[] } {
	const { roots, cwd, layout } = inside;
	const whole = cwd === "/";
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
			...(whole ? [["--ro-bind", "/", "/"]] : [...layout.base, ...settings.map(place)]),
			...kernelMounts(sizes),
			...withoutServices(inside),
			...(whole ? [] : withinReach(inside, sizes)),
			...own.filter(({ path }) => !isOpen(path)).map(place),
			...bindRoots(inside),
			...inside.protections,
			...shownServices(inside).map((path) => ["--remount-ro", path]),
			// Bubblewrap makes /dev without a limit of its size. Its devices are mounts of their own, and stay writable.
			["--remount-ro", "/dev"],
			["--remount-ro", "/"],
		],
		texts,
	};
}

/** Where nothing is of the host but what a command needs. */
function withinReach(inside: Inside, sizes: MemorySizes): Mount[] {
	return [
		temporary("1777", "/tmp", sizes.tmp),
		temporary("1777", "/var/tmp", sizes.varTmp),
		...(inside.home === undefined ? [] : [temporary("0700", inside.home, sizes.home)]),
		...inside.layout.tools.map(({ source, path }) => ["--ro-bind-try", source, path]),
		...(seesProgram(inside) ? [] : [readOnly(inside.program)]),
		...elsewhere(inside).map(readOnly),
	];
}

function temporary(mode: string, path: string, bytes: number): Mount {
	return ["--perms", mode, "--size", String(bytes), "--tmpfs", path];
}

/** Bytes of the directories in memory that a command can write to, on a machine with this much memory. */
export function memorySizes(memory = availableMemory()): MemorySizes {
	const all = Math.min(MAX_MEMORY_BYTES, memory * MEMORY_PART);
	const sizeOf = (part: number): number => Math.max(1, Math.floor((all * part) / PAGE_BYTES)) * PAGE_BYTES;
	return { tmp: sizeOf(3 / 8), home: sizeOf(3 / 8), varTmp: sizeOf(1 / 8), shm: sizeOf(1 / 8) };
}

/** Memory of the machine, or of the cgroup of this process: 0 or more than the machine has if that is not limited. */
function availableMemory(): number {
	const limit = process.constrainedMemory();
	return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Empty where they would be seen, but for links to the programs of the system; a command there finds nothing. */
function withoutServices(inside: Inside): Mount[] {
	const { cwd, layout } = inside;
	return shownServices(inside).flatMap((path): Mount[] => [
		temporary("0755", path, PAGE_BYTES),
		...layout.base.filter((mount) => isWithin(mount.at(-1) ?? "", path)),
		...(isWithin(cwd, path) ? [["--dir", cwd]] : []),
	]);
}

function shownServices({ cwd }: Inside): string[] {
	const seen = serviceDirectories.filter((path) => isWithin(cwd, path) || isWithin(path, cwd));
	return seen.filter((path) => existsSync(path) && realpathSync(path) === path);
}

function kernelMounts(sizes: MemorySizes): Mount[] {
	return [
		["--proc", "/proc"],
		...kernelSwitches.filter((path) => existsSync(path)).map((path) => ["--ro-bind", path, path]),
		// Lists the keys of this user outside, whatever keyring the command has: keyrings(7).
		...(existsSync(KEYS) ? [["--ro-bind", "/dev/null", KEYS]] : []),
		["--dev", "/dev"],
		temporary("1777", "/dev/shm", sizes.shm),
	];
}

/**
 * Binds outer directories before those in them, and roots below a hidden directory after the step that hides it. The
 * kernel lets no command rename a directory at which something is mounted, such as one that is bound to itself.
 */
function bindRoots(inside: Inside): Mount[] {
	const isHidden = (path: string): boolean => inside.hidden.some((place) => isWithin(path, place));
	const fixed = inside.writable ? inside.fixed.filter((path) => !isHidden(path)) : [];
	const sorted = [...inside.roots, ...fixed].toSorted((one, other) => one.length - other.length);
	const [below, free] = partition(sorted, isHidden);
	const bind = (path: string): Mount => [inside.writable ? "--bind" : "--ro-bind", path, path];
	const covered = hiddenParts(inside);
	return [
		...free.map(bind),
		...covered.map((path) => ["--tmpfs", path]),
		...below.map(bind),
		...covered.map((path) => ["--remount-ro", path]),
	];
}

/** The directory of a command beyond the roots, which a person has agreed to be read. */
function elsewhere({ cwd, roots, layout }: Pick<Inside, "cwd" | "roots" | "layout">): string[] {
	const known =
		[...roots, ...kernel, ...serviceDirectories, ...toolPaths(layout)].some((place) =>
			isWithin(cwd, place),
		) || isOfSystem(cwd);
	return known ? [] : [cwd];
}

function toolPaths({ tools }: SystemLayout): string[] {
	return tools.map(({ path }) => path);
}

function seesProgram(inside: Inside): boolean {
	const places = boundPlaces(inside);
	return isOfSystem(inside.program) || places.some((place) => isWithin(inside.program, place));
}

/** What of the hidden would be seen otherwise. */
function hiddenParts(inside: Inside): string[] {
	const open = [...boundPlaces(inside), "/usr"];
	return inside.hidden.filter((path) => existsSync(path) && open.some((place) => isWithin(path, place)));
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
	return [items.filter(test), items.filter((item) => !test(item))];
}

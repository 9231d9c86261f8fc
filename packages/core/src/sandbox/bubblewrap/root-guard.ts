import { chmod, open, readlink, rename } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Clock, definedItems, type Ids, type Logger, ParleyError } from "@parley/base";
import { systemCode } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { findRepositories, isVisiblePath, type Repositories } from "../repositories/find-repositories.ts";
import {
	disableGitPrograms,
	type GitRunner,
	type MountGroup,
	pinRepositories,
	protectGit,
	type RemovedSettings,
} from "../repositories/protect-git.ts";
import type { PinnedPlaces } from "./pinned-places.ts";
import {
	type CommandPaths,
	directoriesOf,
	findControl,
	type Known,
	protectControl,
} from "./protected-paths.ts";
import type { Mount } from "./system-layout.ts";
import { rootTexts } from "./texts.ts";

/** Maximum milliseconds of a search for repositories in the roots. */
const SEARCH_MS = 500;
/**
 * Maximum milliseconds to read git settings after a command. If the time is over, changed files with unread settings
 * are renamed.
 */
const AFTER_MS = 5_000;
/**
 * Maximum mounts for repositories and skills, and for control files below the roots. 150 mounts take about a tenth of a
 * second.
 */
const MAX_MOUNTS = 150;

export interface Guarded extends CommandPaths {
	readonly hidden: readonly string[];
}

/** State that all guards of this gateway share. */
export interface Guards {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/**
	 * Paths with a change that could not be reverted. The guard of the next command must treat these paths as changed.
	 */
	readonly remaining: Set<string>;
	/** Notes that were already shown, with the roots for which they were shown. */
	readonly shownNotes: Set<string>;
}

interface GuardState {
	readonly places: Guarded;
	readonly guards: Guards;
	readonly startedMs: number;
	readonly before: Repositories;
	readonly known: Known;
}

/**
 * Report after a command: changes that were reverted, changes that could not be reverted, and directories that were not
 * checked.
 */
export interface Guarding {
	/** Former paths of renamed files. */
	readonly paths: readonly string[];
	readonly settings: readonly RemovedSettings[];
	/** Descriptions of the changes that could not be reverted. */
	readonly failed: readonly string[];
	/**
	 * Control files in directories that replaced other directories during the command. The guard does not change these
	 * control files.
	 */
	readonly swapped: readonly string[];
	/** Whether a search stopped at a limit, so that parts of the roots were not searched. */
	readonly isBeyond: boolean;
	/** Directories that could not be searched for repositories and skills. */
	readonly unread: readonly string[];
	/**
	 * Number of directories without protection, because the number of mounts is limited. They contain repositories,
	 * skills or control files.
	 */
	readonly unprotected: number;
}

interface Ended extends GitRunner {
	/** The roots, as they were opened before the command. */
	readonly pins: { readonly isSame: PinnedPlaces["isSame"] };
	/** Whether the call was cancelled. */
	isLate(): boolean;
}

/**
 * Guard against control files. Prevents a command from leaving control files in the roots, because control files could
 * later affect programs outside the sandbox.
 */
export class RootGuard {
	readonly #state: GuardState;
	readonly #paths: string[] = [];
	readonly #failed: string[] = [];
	#unprotected = 0;

	static async before(places: Guarded, guards: Guards): Promise<RootGuard> {
		const startedMs = guards.clock.now();
		const before = await inspect(places, guards.clock);
		const known = await findControl(places, before.tops.keys());
		return new RootGuard({ places, guards, startedMs, before, known });
	}

	private constructor(state: GuardState) {
		this.#state = state;
	}

	/**
	 * Returns mounts that make control files read-only. Leaves out the last groups if the mounts would exceed
	 * `MAX_MOUNTS`. Mounts of parent directories come first, because a mount hides earlier mounts below its path.
	 */
	async mounts(): Promise<Mount[]> {
		const { places, before, known } = this.#state;
		const own = directoriesOf(places);
		const protection = {
			isOwn: (path: string) => path.endsWith("/.git") && own.has(path.slice(0, -"/.git".length)),
			isReadOnly: (path: string) => [...known.keys()].some((one) => isWithin(path, one)),
			isOpen: (path: string) => isVisiblePath(path, places),
		};
		const tops = [...before.tops.keys()].filter((path) => !own.has(path) && !protection.isReadOnly(path));
		const control: MountGroup[] = tops.map((top) => ({ of: top, mounts: protectControl(top, known) }));
		const agents: MountGroup[] = [...before.ofAgents]
			.filter((path) => !protection.isReadOnly(path))
			.map((path) => ({ of: dirname(path), mounts: [["--ro-bind-try", path, path]] }));
		const groups = [...(await protectGit(before, protection)), ...control, ...agents].filter(
			({ mounts }) => mounts.length > 0,
		);
		const room = roomFor(groups);
		this.#unprotected = new Set(groups.slice(room).map((group) => group.of)).size;
		const others = groups.slice(0, room).filter((group) => !control.includes(group));
		return [
			...[...own].flatMap((directory) => protectControl(directory, known)),
			...control.filter((group) => groups.indexOf(group) < room).flatMap(({ mounts }) => mounts),
			...(await pinRepositories(before, protection)),
			...others.flatMap(({ mounts }) => mounts),
		];
	}

	/**
	 * Reverts changes of control files, and resolves with a report about the changes. The command and all its processes
	 * must have ended, but other commands may still run. Reports failures and continues. Never rejects.
	 */
	async after({ git, pins, isLate }: Ended): Promise<Guarding> {
		const { guards, before, startedMs } = this.#state;
		const places = await this.#remaining(pins);
		const { clock, ids, remaining, log } = guards;
		const end = clock.monotonic() + AFTER_MS;
		const settings: RemovedSettings[] = [];
		const swapped: string[] = [];
		let after: Repositories | undefined;
		await this.#try(rootTexts.roots, async () => {
			after = await inspect(places, clock, before.tops.keys());
			const changes = { before, after, startedMs, remaining, roots: places.roots, git };
			const name = (): string => ids.create("held");
			const putAside = (path: string): Promise<void> => this.#putAside(path);
			const removed = await disableGitPrograms({
				...changes,
				name,
				putAside,
				isLate: () => isLate() || clock.monotonic() > end,
			});
			settings.push(...removed);
		});
		await this.#try(rootTexts.controlFiles, async () => {
			swapped.push(...(await this.#disableControl(places, after)));
		});
		const unread = new Set([...before.unread, ...(after?.unread ?? places.roots)]);
		const isBeyond = before.beyond.size + (after?.beyond.size ?? 0) > 0;
		const done = { paths: this.#paths, settings, failed: this.#failed, swapped };
		if (Object.values(done).some((list) => list.length > 0)) {
			log.warn(rootTexts.leftControlFiles, { roots: places.roots, ...done });
		}
		return { ...done, isBeyond, unread: [...unread], unprotected: this.#unprotected };
	}

	/**
	 * Returns the guarded places without replaced roots, because the guard must not change the directories that replaced
	 * them. Reports the replaced roots as failures.
	 */
	async #remaining(pins: Ended["pins"]): Promise<Guarded> {
		const { places } = this.#state;
		const roots: string[] = [];
		for (const root of places.roots) {
			if (await pins.isSame(root).catch(() => false)) roots.push(root);
			else this.#failed.push(rootTexts.rootReplaced(root));
		}
		return { ...places, roots };
	}

	/**
	 * Renames the control files that were created or changed during the command. Does not rename control files in
	 * directories that replaced other directories, but resolves with the paths of these files.
	 */
	async #disableControl(places: Guarded, after: Repositories | undefined): Promise<string[]> {
		const { guards, before, known } = this.#state;
		// A working tree that replaced the earlier one, for example a new clone, is not changed.
		const isSame = (top: string): boolean =>
			after === undefined || before.tops.get(top) === after.tops.get(top);
		const tops = [...before.tops.keys()];
		for (const [path, { target }] of await findControl(places, tops.filter(isSame))) {
			if (known.get(path)?.target === target && !guards.remaining.has(path)) continue;
			await this.#putAside(path);
		}
		const own = directoriesOf(places);
		const swapped = tops.filter((top) => !isSame(top) && !own.has(top) && after?.tops.has(top));
		const now = await findControl({ ...places, roots: [], home: undefined }, swapped);
		return [...now.keys()];
	}

	async #putAside(path: string): Promise<void> {
		const { remaining, ids } = this.#state.guards;
		const moved = await this.#try(path, () => moveAside(path, ids.create("held")));
		if (moved) this.#paths.push(path);
		if (moved) remaining.delete(path);
		else remaining.add(path);
	}

	async #try(task: string, work: () => Promise<void>): Promise<boolean> {
		try {
			await work();
			return true;
		} catch (cause) {
			const { message } = ParleyError.from(cause);
			this.#failed.push(cause instanceof ParleyError ? message : `${JSON.stringify(task)}: ${message}`);
			this.#state.guards.log.error(rootTexts.notRemoved, { what: task, error: cause });
			return false;
		}
	}
}

function inspect(
	{ roots, hidden, ...places }: Guarded,
	clock: Clock,
	known: Iterable<string> = [],
): Promise<Repositories> {
	const end = clock.monotonic() + SEARCH_MS;
	const required = [...directoriesOf({ roots, ...places }), ...known];
	return findRepositories({ roots, required, hidden, isLate: () => clock.monotonic() > end });
}

/** Returns how many groups, from the first group on, fit together into `MAX_MOUNTS` mounts. */
function roomFor(groups: readonly MountGroup[]): number {
	let left = MAX_MOUNTS;
	const full = groups.findIndex((group) => {
		left -= group.mounts.length;
		return left < 0;
	});
	return full < 0 ? groups.length : full;
}

/** Maximum names in one note. */
const MAX_NAMED = 10;

/**
 * Returns the notes to append to the output of a command. The notes are about reverted changes and unchecked
 * directories. Returns "" if there are no notes.
 */
export function guardNote(
	guarding: Guarding,
	roots: readonly string[],
	{ shownNotes }: { readonly shownNotes: Set<string> },
): string {
	// A note about unchecked directories is shown only once for the same roots, because the reason may apply to every
	// command in the roots.
	const lasting = leftOut(guarding).filter((note) => !shownNotes.has(JSON.stringify([roots, note])));
	for (const note of lasting) shownNotes.add(JSON.stringify([roots, note]));
	return [...revertedNotes(guarding), ...lasting].map((note) => `\n[${note}]\n`).join("");
}

function revertedNotes({ paths, settings, failed, swapped }: Guarding): string[] {
	const removedSettings = settings.map(({ path, names }) => `${namedOf(names)} of ${JSON.stringify(path)}`);
	return [
		...noteOf(paths.map(quoted), (all) => rootTexts.renamed(all)),
		...noteOf(removedSettings, (all) => rootTexts.removed(all)),
		...noteOf(failed, (all) => rootTexts.notUndone(all)),
		...noteOf(swapped.map(quoted), (all) => rootTexts.replacedDirectory(all)),
	];
}

function leftOut({ unprotected, isBeyond, unread }: Guarding): string[] {
	const notProtected = rootTexts.notProtected(unprotected);
	const tooManyPlaces = rootTexts.tooMuch;
	return definedItems([
		unprotected > 0 ? notProtected : undefined,
		isBeyond ? tooManyPlaces : undefined,
		...noteOf(unread.map(quoted), (all) => rootTexts.unreadable(all)),
	]);
}

function noteOf(items: readonly string[], text: (all: string) => string): string[] {
	return items.length > 0 ? [text(namedOf(items))] : [];
}

function namedOf(items: readonly string[]): string {
	const more = items.length - MAX_NAMED;
	return `${items.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function quoted(path: string): string {
	// A longer path would fill the note.
	return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}

/** Flag that opens a directory without the permission to read it. https://man7.org/linux/man-pages/man2/open.2.html */
const O_PATH = 0o10000000;

/**
 * Renames a file, link or directory within its own directory, even if a command removed the write permission of the
 * directory. The directory part of `path` must be a real path. `name` must be unpredictable for commands. Throws
 * `failed_precondition` if the rename fails, unless the file is gone.
 */
export async function moveAside(path: string, name: string): Promise<void> {
	try {
		await move(path, name);
	} catch (cause) {
		// Another process removed the file.
		if (systemCode(cause) === "ENOENT") return;
		throw new ParleyError(rootTexts.cannotRename(path, systemCode(cause)), {
			code: "failed_precondition",
			cause,
		});
	}
}

/**
 * Renames the file through the open directory, because another command can replace the path of the directory by a link.
 */
async function move(path: string, name: string): Promise<void> {
	await using directory = await open(dirname(path), O_PATH);
	const handlePath = `/proc/self/fd/${directory.fd}`;
	if ((await readlink(handlePath)) !== dirname(path)) {
		throw Object.assign(new Error(rootTexts.otherDirectory), { code: "ESTALE" });
	}
	const from = `${handlePath}/${basename(path)}`;
	const retry = async (reason: unknown): Promise<void> => {
		if (!["EACCES", "EPERM"].includes(systemCode(reason))) throw reason;
		await chmod(handlePath, 0o700);
		await rename(from, `${from}.held-back-${name}`);
	};
	await rename(from, `${from}.held-back-${name}`).catch(retry);
}

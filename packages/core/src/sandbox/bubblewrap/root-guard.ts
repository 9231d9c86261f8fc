import { dirname } from "node:path";
import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import { isWithin } from "../../filesystem/paths.ts";
import { findRepositories, isOpen, type Repositories } from "../repositories/find-repositories.ts";
import { holdBackGit, type TakenOut } from "../repositories/hold-back-git.ts";
import { type Group, holdInPlace, protectGit } from "../repositories/protect-git.ts";
import type { SettingsOf } from "../repositories/running-settings.ts";
import { moveAside } from "./move-aside.ts";
import type { PinnedPlaces } from "./pinned-places.ts";
import { directoriesOf, findControl, type Known, type Places, protectControl } from "./protected-paths.ts";
import type { Mount } from "./system-layout.ts";

/** Milliseconds of a search for repositories in the roots. */
const LOOK_MS = 500;
/** Milliseconds of reading settings after a command. Settings that are left then are moved aside unread. */
const AFTER_MS = 5_000;
/** Maximum of mounts for repositories below the roots. So many cost about a tenth of a second. */
const MAX_MOUNTS = 150;

export interface Guarded extends Places {
	/** Directories that no command may see. */
	readonly hidden: readonly string[];
}

/** State that all guards of this gateway share. */
export interface Guards {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** Paths that could not be taken back. They do not count as known. */
	readonly owed: Set<string>;
	/** Notes about roots that were given once and are not repeated. */
	readonly told: Set<string>;
}

interface Found {
	readonly places: Guarded;
	readonly guards: Guards;
	readonly startedMs: number;
	readonly before: Repositories;
	readonly known: Known;
}

/** Report of what was taken back after a command, and what was not. */
export interface Guarding {
	/** Former paths of files that were moved aside. */
	readonly paths: readonly string[];
	readonly settings: readonly TakenOut[];
	/** Descriptions of what could not be taken back. */
	readonly failed: readonly string[];
	/** Files that decide what runs later, in directories that replaced others. They stay. */
	readonly swapped: readonly string[];
	/** Whether the roots hold more than was searched. */
	readonly isBeyond: boolean;
	/** Directories that could not be read. */
	readonly unread: readonly string[];
	/** Number of directories with repositories or skills that were not made read only because there are too many. */
	readonly unprotected: number;
}

/** Means to look at the roots after a command. */
interface Ended extends Pick<SettingsOf, "git"> {
	/** Holds the roots since before the command. */
	readonly pins: Pick<PinnedPlaces, "isSame">;
	/** Whether the call was cancelled. */
	isLate(): boolean;
}

/** Keeps a command from leaving files in the roots that decide what runs outside of the sandbox later. */
export class RootGuard {
	readonly #found: Found;
	readonly #paths: string[] = [];
	readonly #failed: string[] = [];
	#unprotected = 0;

	/** Looks at the roots before the command. */
	static async before(places: Guarded, guards: Guards): Promise<RootGuard> {
		const startedMs = guards.clock.now();
		const before = await lookAt(places, guards.clock);
		const known = await findControl(places, before.tops.keys());
		return new RootGuard({ places, guards, startedMs, before, known });
	}

	private constructor(found: Found) {
		this.#found = found;
	}

	/** Mounts that make those files read only. Outer ones come first, because a mount hides earlier ones below it. */
	async mounts(): Promise<Mount[]> {
		const { places, before, known } = this.#found;
		const own = directoriesOf(places);
		const told = {
			isOwn: (path: string) => path.endsWith("/.git") && own.has(path.slice(0, -"/.git".length)),
			isReadOnly: (path: string) => [...known.keys()].some((one) => isWithin(path, one)),
			isOpen: (path: string) => isOpen(path, places),
		};
		const tops = [...before.tops.keys()].filter((path) => !own.has(path) && !told.isReadOnly(path));
		const control: Group[] = tops.map((top) => ({ of: top, mounts: protectControl(top, known) }));
		const agents: Group[] = [...before.ofAgents]
			.filter((path) => !told.isReadOnly(path))
			.map((path) => ({ of: dirname(path), mounts: [["--ro-bind-try", path, path]] }));
		const groups = [...(await protectGit(before, told)), ...control, ...agents].filter(
			({ mounts }) => mounts.length > 0,
		);
		const room = roomFor(groups);
		this.#unprotected = new Set(groups.slice(room).map((group) => group.of)).size;
		const others = groups.slice(0, room).filter((group) => !control.includes(group));
		return [
			...[...own].flatMap((directory) => protectControl(directory, known)),
			...control.filter((group) => groups.indexOf(group) < room).flatMap(({ mounts }) => mounts),
			...(await holdInPlace(before, told)),
			...others.flatMap(({ mounts }) => mounts),
		];
	}

	/**
	 * Takes back such files. The command and all its processes must have ended; other commands may still run. Reports what
	 * fails and continues with the rest. Never rejects.
	 */
	async after({ git, pins, isLate }: Ended): Promise<Guarding> {
		const { guards, before, startedMs } = this.#found;
		const places = await this.#remaining(pins);
		const { clock, ids, owed, log } = guards;
		const end = clock.monotonic() + AFTER_MS;
		const settings: TakenOut[] = [];
		const swapped: string[] = [];
		let after: Repositories | undefined;
		await this.#try("the roots", async () => {
			after = await lookAt(places, clock, before.tops.keys());
			const cameUp = { before, after, startedMs, owed, roots: places.roots, git };
			const name = (): string => ids.create("held");
			const putAside = (path: string): Promise<void> => this.#putAside(path);
			const taken = await holdBackGit({
				...{ ...cameUp, name, putAside },
				isLate: () => isLate() || clock.monotonic() > end,
			});
			settings.push(...taken);
		});
		await this.#try("what steers in the roots", async () => {
			swapped.push(...(await this.#holdBackControl(places, after)));
		});
		const unread = new Set([...before.unread, ...(after?.unread ?? places.roots)]);
		const isBeyond = before.beyond.size + (after?.beyond.size ?? 0) > 0;
		const done = { paths: this.#paths, settings, failed: this.#failed, swapped };
		if (Object.values(done).some((list) => list.length > 0)) {
			log.warn("a command left what would decide what runs later", { roots: places.roots, ...done });
		}
		return { ...done, isBeyond, unread: [...unread], unprotected: this.#unprotected };
	}

	/** The places without the roots that another program replaced: nothing is changed where such a path leads now. */
	async #remaining(pins: Ended["pins"]): Promise<Guarded> {
		const { places } = this.#found;
		const roots: string[] = [];
		for (const root of places.roots) {
			if (await pins.isSame(root).catch(() => false)) roots.push(root);
			else this.#failed.push(`${JSON.stringify(root)}: the root was replaced while the command ran`);
		}
		return { ...places, roots };
	}

	/** Resolves with files that decide what runs later, in directories that replaced others. */
	async #holdBackControl(places: Guarded, after: Repositories | undefined): Promise<string[]> {
		const { guards, before, known } = this.#found;
		// A repository that is new, such as a clone, keeps the files that it brings.
		const isSame = (top: string): boolean =>
			after === undefined || before.tops.get(top) === after.tops.get(top);
		const tops = [...before.tops.keys()];
		for (const [path, { target }] of await findControl(places, tops.filter(isSame))) {
			if (known.get(path)?.target === target && !guards.owed.has(path)) continue;
			await this.#putAside(path);
		}
		const own = directoriesOf(places);
		const swapped = tops.filter((top) => !isSame(top) && !own.has(top) && after?.tops.has(top));
		const now = await findControl({ ...places, roots: [], home: undefined }, swapped);
		return [...now.keys()];
	}

	async #putAside(path: string): Promise<void> {
		const { owed, ids } = this.#found.guards;
		const moved = await this.#try(path, () => moveAside(path, ids.create("held")));
		if (moved) this.#paths.push(path);
		if (moved) owed.delete(path);
		else owed.add(path);
	}

	async #try(what: string, work: () => Promise<void>): Promise<boolean> {
		try {
			await work();
			return true;
		} catch (cause) {
			const { message } = ParleyError.from(cause);
			this.#failed.push(cause instanceof ParleyError ? message : `${JSON.stringify(what)}: ${message}`);
			this.#found.guards.log.error("what a command left cannot be taken back", { what, error: cause });
			return false;
		}
	}
}

function lookAt(
	{ roots, hidden, ...places }: Guarded,
	clock: Clock,
	known: Iterable<string> = [],
): Promise<Repositories> {
	const end = clock.monotonic() + LOOK_MS;
	const surely = [...directoriesOf({ roots, ...places }), ...known];
	return findRepositories({ roots, surely, hidden, isLate: () => clock.monotonic() > end });
}

/** Number of groups that fit into `MAX_MOUNTS`. */
function roomFor(groups: readonly Group[]): number {
	let left = MAX_MOUNTS;
	const full = groups.findIndex((group) => {
		left -= group.mounts.length;
		return left < 0;
	});
	return full < 0 ? groups.length : full;
}

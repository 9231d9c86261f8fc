import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import { isWithin } from "../tools/paths.ts";
import { moveAside } from "./move-aside.ts";
import type { PinnedPlaces } from "./pinned-places.ts";
import { directoriesOf, findControl, type Known, type Places, protectControl } from "./protected-paths.ts";
import { findRepositories, isOpen, type Repositories } from "./repositories/find-repositories.ts";
import { holdBackGit, type TakenOut } from "./repositories/hold-back-git.ts";
import { type Group, holdInPlace, protectGit } from "./repositories/protect-git.ts";
import type { SettingsOf } from "./repositories/running-settings.ts";
import type { Mount } from "./system-layout.ts";

/** How long the repositories of the roots are looked for. */
const LOOK_MS = 500;
/** How long settings are looked into after a command, all together: then they are moved aside as they are. */
const AFTER_MS = 5_000;
/** For repositories below the roots. Every mount makes all further ones slower: these cost a tenth of a second. */
const MAX_MOUNTS = 150;

export interface Guarded extends Places {
	/** What no command may see. */
	readonly hidden: readonly string[];
}

/** What all guards of this gateway share. */
export interface Guards {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** What could not be taken back: it does not count as known. */
	readonly owed: Set<string>;
	/** What was said of roots, which is not said again as long as it stays the same. */
	readonly told: Set<string>;
}

interface Found {
	readonly places: Guarded;
	readonly guards: Guards;
	readonly startedMs: number;
	readonly before: Repositories;
	readonly known: Known;
}

/** What was done, and left undone, about a command. */
export interface Guarding {
	/** Where it was that is moved aside. */
	readonly paths: readonly string[];
	readonly settings: readonly TakenOut[];
	/** What should have been taken back and could not, in words. */
	readonly failed: readonly string[];
	/** What steers in directories that came in the place of others, and stays. */
	readonly swapped: readonly string[];
	/** Whether the bounds left no room for all of the roots, before or after. */
	readonly isBeyond: boolean;
	/** Directories that could not be read. */
	readonly unread: readonly string[];
	/** How many repositories were too many to be made read only. */
	readonly unprotected: number;
}

/** What the end of a command is looked at with. */
interface Ended extends Pick<SettingsOf, "git"> {
	/** Holds the roots since before the command. */
	readonly pins: Pick<PinnedPlaces, "isSame">;
	/** Whether nobody waits any longer. */
	isLate(): boolean;
}

/** Keeps a command from deciding what runs outside of the sandbox later: in the roots, and in repositories below them. */
export class RootGuard {
	readonly #found: Found;
	readonly #paths: string[] = [];
	readonly #failed: string[] = [];
	#unprotected = 0;

	/** Looks at what is there before the command. */
	static async before(places: Guarded, guards: Guards): Promise<RootGuard> {
		const startedMs = guards.clock.now();
		const before = await lookAt(places, guards.clock);
		const known = await findControl(places, before.tops.keys());
		return new RootGuard({ places, guards, startedMs, before, known });
	}

	private constructor(found: Found) {
		this.#found = found;
	}

	/** What makes that read only. Outer ones come first: a mount hides what was mounted below it before. */
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
		const groups = [...(await protectGit(before, told)), ...control].filter(
			({ mounts }) => mounts.length > 0,
		);
		const room = roomFor(groups);
		this.#unprotected = new Set(groups.slice(room).map((group) => group.of)).size;
		const git = groups.slice(0, room).filter((group) => !control.includes(group));
		return [
			...[...own].flatMap((directory) => protectControl(directory, known)),
			...control.filter((group) => groups.indexOf(group) < room).flatMap(({ mounts }) => mounts),
			...(await holdInPlace(before, told)),
			...git.flatMap(({ mounts }) => mounts),
		];
	}

	/**
	 * Takes back what the command left that would. The command must have ended with all that it started; others may still
	 * run. What fails is told, and keeps nothing else from being taken back: never rejects.
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

	/** Resolves with what steers in directories that came in the place of others. */
	async #holdBackControl(places: Guarded, after: Repositories | undefined): Promise<string[]> {
		const { guards, before, known } = this.#found;
		// What a repository brings with it that came up meanwhile is the matter of whoever made it.
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

/** How many of the groups there is room for. */
function roomFor(groups: readonly Group[]): number {
	let left = MAX_MOUNTS;
	const full = groups.findIndex((group) => {
		left -= group.mounts.length;
		return left < 0;
	});
	return full < 0 ? groups.length : full;
}

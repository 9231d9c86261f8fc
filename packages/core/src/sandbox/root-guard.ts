import type { Clock } from "@parley/base";
import { isWithin } from "../tools/paths.ts";
import {
	directoriesOf,
	findControl,
	holdBack,
	type Known,
	type Places,
	protectControl,
} from "./protected-paths.ts";
import { findRepositories, isOpen, type Repositories } from "./repositories/find-repositories.ts";
import { type HeldBack, holdBackGit } from "./repositories/hold-back-git.ts";
import { holdInPlace, protectGit } from "./repositories/protect-git.ts";
import type { SettingsOf } from "./repositories/running-settings.ts";
import type { Mount } from "./system-layout.ts";

/** How long the repositories of the roots are looked for. */
const LOOK_MS = 500;
/** For repositories below the roots. Every mount makes all further ones slower: these cost a tenth of a second. */
const MAX_MOUNTS = 150;

export interface Guarded extends Places {
	/** What no command may see. */
	readonly hidden: readonly string[];
}

interface Found {
	readonly places: Guarded;
	readonly clock: Clock;
	readonly startedMs: number;
	readonly before: Repositories;
	readonly known: Known;
}

/** What was done, and left undone, about a command. */
export interface Guarding extends HeldBack {
	/** Whether all of the roots was looked at, before and after. */
	readonly whole: boolean;
	/** How many repositories were too many to be made read only. */
	readonly unprotected: number;
}

/** Keeps a command from deciding what runs outside of the sandbox later: in the roots, and in repositories below them. */
export class RootGuard {
	readonly #found: Found;
	#unprotected = 0;

	/** Looks at what is there before the command. */
	static async before(places: Guarded, clock: Clock): Promise<RootGuard> {
		const startedMs = clock.now();
		const before = await lookAt(places, clock);
		const known = await findControl(places, before.tops.keys());
		return new RootGuard({ places, clock, startedMs, before, known });
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
		const git = await protectGit(before, told);
		const control = tops.map((top) => protectControl(top, known));
		const room = roomFor([...git, ...control]);
		this.#unprotected = git.length + control.length - room;
		return [
			...[...own].flatMap((directory) => protectControl(directory, known)),
			...control.slice(0, Math.max(0, room - git.length)).flat(),
			...(await holdInPlace(before, told)),
			...git.slice(0, room).flat(),
		];
	}

	/** Takes back what the command left that would; it must have ended, with all that it started. */
	async after(mark: string, git: SettingsOf["git"]): Promise<Guarding> {
		const { places, clock, before, known, startedMs } = this.#found;
		const after = await lookAt(places, clock);
		// What a repository brings with it that came up meanwhile is the matter of whoever made it.
		const same = [...before.tops].filter(([path, id]) => after.tops.get(path) === id).map(([path]) => path);
		const control = await holdBack(await findControl(places, same), known, mark);
		const { roots } = places;
		const { paths, settings } = await holdBackGit({ before, after, startedMs, mark, roots, git });
		return {
			...{ paths: [...control, ...paths], settings },
			...{ whole: before.whole && after.whole, unprotected: this.#unprotected },
		};
	}
}

function lookAt({ roots, hidden, ...places }: Guarded, clock: Clock): Promise<Repositories> {
	const end = clock.monotonic() + LOOK_MS;
	const surely = [...directoriesOf({ roots, ...places })];
	return findRepositories({ roots, surely, hidden, isLate: () => clock.monotonic() > end });
}

/** How many of the groups there is room for. */
function roomFor(groups: readonly (readonly Mount[])[]): number {
	let left = MAX_MOUNTS;
	const full = groups.findIndex((group) => {
		left -= group.length;
		return left < 0;
	});
	return full < 0 ? groups.length : full;
}

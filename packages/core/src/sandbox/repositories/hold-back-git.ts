import { join } from "node:path";
import { type Repositories, wasSeen } from "./find-repositories.ts";
import { type GitDirectory, hasHooks, type Steering } from "./git-directory.ts";
import { type SettingsOf, takeOutRunning } from "./running-settings.ts";

/** Milliseconds by which times of files lag behind the clock: a tick of the kernel at most. */
const TICK_MS = 50;
/** Maximum of files of settings that git reads after a command. Each takes some hundredths of a second. */
const MAX_LOOKS = 50;

/** State of the repositories before and after a command. */
export interface CameUp extends Pick<SettingsOf, "roots" | "git"> {
	readonly before: Repositories;
	readonly after: Repositories;
	/** In milliseconds since the epoch. */
	readonly startedMs: number;
	/** Paths that could not be taken back earlier. They count as new. */
	readonly owed: ReadonlySet<string>;
	/** A name that no command can guess, another one at every call. */
	name(): string;
	/** Moves a file aside, or notes that this failed. Never rejects. */
	putAside(path: string): Promise<void>;
	/** Whether the time for reading settings is over. */
	isLate(): boolean;
}

/** Settings that were taken out of a file, and the path of a copy of that file. */
export interface TakenOut {
	readonly path: string;
	readonly names: readonly string[];
	readonly copy: string;
}

/**
 * Keeps git from running programs that a command has chosen. In new repositories, and in changed parts of others, hooks
 * are moved aside and settings that name programs are taken out.
 */
export async function holdBackGit(cameUp: CameUp): Promise<TakenOut[]> {
	const taken: TakenOut[] = [];
	const known = new Map(cameUp.before.directories.map((directory) => [directory.id, directory]));
	let looks = MAX_LOOKS;
	for (const directory of cameUp.after.directories) {
		const old = known.get(directory.id);
		const isAlien = old === undefined && !isNew(directory, cameUp);
		for (const [part, { print, isLink }] of directory.parts) {
			const path = join(directory.path, part);
			if (!cameUp.owed.has(path) && (isAlien || old?.parts.get(part)?.print === print)) continue;
			if (part === "config" || part === "config.worktree") looks -= 1;
			const mayLook = !isLink && looks >= 0 && !cameUp.isLate();
			taken.push(...(await holdBackPart({ path, part, isKnown: old !== undefined, mayLook }, cameUp)));
		}
	}
	return taken;
}

/** Whether a repository is new. If the earlier search was incomplete, its time of creation decides. */
function isNew({ bornMs, path }: GitDirectory, { before, startedMs }: CameUp): boolean {
	return wasSeen(path, before) || bornMs >= startedMs - TICK_MS;
}

interface ChangedPart {
	readonly path: string;
	readonly part: Steering;
	/** Whether the repository existed before. */
	readonly isKnown: boolean;
	readonly mayLook: boolean;
}

async function holdBackPart(
	{ path, part, isKnown, mayLook }: ChangedPart,
	cameUp: CameUp,
): Promise<TakenOut[]> {
	// A directory that cannot be read counts as one with hooks.
	const isHarmless = part === "hooks" && !(await hasHooks(path).catch(() => true));
	// The repository that it points to was examined like every other.
	if (isHarmless || (part === "commondir" && !isKnown)) return [];
	if (mayLook && part !== "hooks" && part !== "commondir") {
		const copy = `${path}.held-back-${cameUp.name()}`;
		const names = await takeOutRunning({ ...cameUp, path, copy }).catch(() => undefined);
		if (names !== undefined) return names.length > 0 ? [{ path, names, copy }] : [];
	}
	await cameUp.putAside(path);
	return [];
}

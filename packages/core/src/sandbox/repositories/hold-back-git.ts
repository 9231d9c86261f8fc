import { join } from "node:path";
import { type Repositories, wasSeen } from "./find-repositories.ts";
import { type GitDirectory, hasHooks, type Steering } from "./git-directory.ts";
import { type SettingsOf, takeOutRunning } from "./running-settings.ts";

/** The clock of the kernel that stamps files lags behind by a tick at most. */
const TICK_MS = 50;
/** Each look of git takes some hundredths of a second. */
const MAX_LOOKS = 50;

/** What came up while a command ran. */
export interface CameUp extends Pick<SettingsOf, "roots" | "git"> {
	readonly before: Repositories;
	readonly after: Repositories;
	/** In milliseconds since the epoch. */
	readonly startedMs: number;
	/** What could not be taken back earlier: it is looked at as if it had come up now. */
	readonly owed: ReadonlySet<string>;
	/** Another name at every call, which nobody could guess. */
	name(): string;
	/** Takes it away from where it is, or notes that this failed. Never rejects. */
	putAside(path: string): Promise<void>;
	/** Whether there is no time left to look into settings. */
	isLate(): boolean;
}

/** Files of settings, which were taken out, and where a copy of all is. */
export interface TakenOut {
	readonly path: string;
	readonly names: readonly string[];
	readonly copy: string;
}

/**
 * Leaves nothing in repositories that would have git run what a command has chosen: hooks are moved aside, settings that
 * name programs taken out, of repositories that came up and of what changed in those that were there.
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

/** What was not found before may have been there all the same, where not everything was looked at. */
function isNew({ bornMs, path }: GitDirectory, { before, startedMs }: CameUp): boolean {
	return wasSeen(path, before) || bornMs >= startedMs - TICK_MS;
}

interface ChangedPart {
	readonly path: string;
	readonly part: Steering;
	/** Whether the repository was there. */
	readonly isKnown: boolean;
	readonly mayLook: boolean;
}

async function holdBackPart(
	{ path, part, isKnown, mayLook }: ChangedPart,
	cameUp: CameUp,
): Promise<TakenOut[]> {
	// What cannot be read may be anything.
	const isHarmless = part === "hooks" && !(await hasHooks(path).catch(() => true));
	// Where it leads has been looked at like every other repository.
	if (isHarmless || (part === "commondir" && !isKnown)) return [];
	if (mayLook && part !== "hooks" && part !== "commondir") {
		const copy = `${path}.held-back-${cameUp.name()}`;
		const names = await takeOutRunning({ ...cameUp, path, copy }).catch(() => undefined);
		if (names !== undefined) return names.length > 0 ? [{ path, names, copy }] : [];
	}
	await cameUp.putAside(path);
	return [];
}

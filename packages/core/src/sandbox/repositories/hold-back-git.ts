import { join } from "node:path";
import { moveAside } from "../move-aside.ts";
import type { Repositories } from "./find-repositories.ts";
import { type GitDirectory, hasHooks, type Steering } from "./git-directory.ts";
import { type SettingsOf, takeOutRunning } from "./running-settings.ts";

/** The clock of the kernel that stamps files lags behind by a tick at most. */
const TICK_MS = 50;
/** Each look of git takes some hundredths of a second. */
const MAX_LOOKS = 100;

/** What came up while a command ran. */
interface CameUp extends Pick<SettingsOf, "roots" | "git"> {
	readonly before: Repositories;
	readonly after: Repositories;
	/** In milliseconds since the epoch. */
	readonly startedMs: number;
	/** Stands in the names of what is moved aside. */
	readonly mark: string;
}

export interface HeldBack {
	/** Where it was that is moved aside. */
	readonly paths: string[];
	/** Files of settings, and which were taken out. */
	readonly settings: { readonly path: string; readonly names: readonly string[] }[];
}

/**
 * Leaves nothing in repositories that would have git run what a command has chosen: hooks are moved aside, settings that
 * name programs taken out, of repositories that came up and of what came up in those that were there.
 */
export async function holdBackGit(cameUp: CameUp): Promise<HeldBack> {
	const held: HeldBack = { paths: [], settings: [] };
	const known = new Map(cameUp.before.directories.map((directory) => [directory.id, directory]));
	for (const directory of cameUp.after.directories) {
		const old = known.get(directory.id);
		if (old === undefined && !isNew(directory, cameUp)) continue;
		for (const [part, state] of directory.parts) {
			if (old?.parts.get(part) === state) continue;
			await holdBackPart({ directory, part, isLink: state !== "there", old }, cameUp, held);
		}
	}
	return held;
}

/** What was not found before may have been there all the same, where not everything was looked at. */
function isNew({ bornMs }: GitDirectory, { before, startedMs }: CameUp): boolean {
	return before.whole || bornMs >= startedMs - TICK_MS;
}

interface Part {
	readonly directory: GitDirectory;
	readonly part: Steering;
	readonly isLink: boolean;
	readonly old: GitDirectory | undefined;
}

async function holdBackPart(
	{ directory, part, isLink, old }: Part,
	cameUp: CameUp,
	held: HeldBack,
): Promise<void> {
	const path = join(directory.path, part);
	const moveIt = async (): Promise<void> => {
		await moveAside(path, cameUp.mark);
		held.paths.push(path);
	};
	if (part === "hooks") return (await hasHooks(path)) ? moveIt() : undefined;
	// Where it leads has been looked at like every other repository.
	if (part === "commondir") return old ? moveIt() : undefined;
	if (isLink || held.settings.length >= MAX_LOOKS) return moveIt();
	const names = await takeOutRunning({ ...cameUp, path });
	if (names === undefined) return moveIt();
	if (names.length > 0) held.settings.push({ path, names });
}

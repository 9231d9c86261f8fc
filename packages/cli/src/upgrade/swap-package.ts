import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Failpoints } from "@parley/base";
import { syncDirectory } from "@parley/gateway/backup";
import { pointCommand, readLinks, replaceLinks } from "./package-links.ts";
import { placesOf, type UpgradeJournal } from "./upgrade-journal.ts";

const program = "bin/parley.mjs";

/**
 * Replaces the package with the staged package. After a kill at any point, the command starts the old or the new
 * package, and `restorePackage` finds the old package.
 */
export async function swapPackage(journal: UpgradeJournal, failpoints: Failpoints): Promise<void> {
	const { home, prefix } = journal;
	const { stage, staged, old } = placesOf(journal);
	await pointCommand(prefix, join(staged, program));
	await failpoints.reach("upgrade.pointed");
	await rename(home, old);
	await failpoints.reach("upgrade.aside");
	await pointCommand(prefix, join(old, program));
	await rename(staged, home);
	await failpoints.reach("upgrade.placed");
	// npm has created these links in the staging directory, with relative targets.
	await replaceLinks(prefix, home, await readLinks(stage, staged));
	await syncDirectory(join(home, ".."));
}

/** Restores the old package, regardless of the progress of `swapPackage` or of an earlier call of this function. */
export async function restorePackage(journal: UpgradeJournal, failpoints: Failpoints): Promise<void> {
	const { home, prefix, links } = journal;
	const { staged, old } = placesOf(journal);
	if (existsSync(old)) {
		await pointCommand(prefix, join(old, program));
		if (existsSync(home)) await rename(home, staged);
		await failpoints.reach("rollback.aside");
		await pointCommand(prefix, join(staged, program));
		await rename(old, home);
		await failpoints.reach("rollback.placed");
	}
	await replaceLinks(prefix, home, links);
	await syncDirectory(join(home, ".."));
}

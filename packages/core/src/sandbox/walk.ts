import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./if-there.ts";

/** What is looked at before every command: some tenths of a second at most. */
const MAX_ENTRIES = 20_000;
/** Large, and other people's published packages or what git keeps: certificates there are no secrets. */
const skipped = ["node_modules", "site-packages", ".git"];

/**
 * The paths at or below these directories that are `wanted`, those nearest to them first; what lies below a wanted one
 * is not looked at, links are not followed. Beyond 20,000 entries nothing is found any more.
 */
export async function walk(
	directories: readonly string[],
	wanted: (path: string, entry: Dirent) => boolean,
): Promise<string[]> {
	const found: string[] = [];
	let left = MAX_ENTRIES;
	const open = [...directories];
	for (let at = open.shift(); at !== undefined && left > 0; at = open.shift()) {
		const entries = (await ifThere(readdir(at, { withFileTypes: true }))) ?? [];
		for (const entry of entries.slice(0, left)) {
			const path = join(at, entry.name);
			if (skipped.includes(entry.name)) continue;
			if (wanted(path, entry)) found.push(path);
			else if (entry.isDirectory()) open.push(path);
		}
		left -= entries.length;
	}
	return found;
}

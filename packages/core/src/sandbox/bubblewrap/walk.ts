import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./if-there.ts";

/** Maximum of entries, which takes some tenths of a second before a command. */
const MAX_ENTRIES = 20_000;
/** Large directories of published packages and of git. Certificates in them are no secrets. */
const skipped = ["node_modules", "site-packages", ".git"];

/**
 * Paths below these directories that are `wanted`, the nearest first. Does not look below a wanted path and follows no
 * links. Stops after 20,000 entries.
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

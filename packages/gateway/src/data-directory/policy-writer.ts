import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@parley/base";
import { errno } from "./errno.ts";
import { withFileLock } from "./file-lock.ts";
import { refuseForeignWriters } from "./foreign-writers.ts";
import { replaceOwnedFile } from "./private-file.ts";

interface PolicyPlace {
	readonly path: string;
	readonly data: string;
	readonly clock: Clock;
}

/**
 * Function that edits the operator's policy file under a lock. An existing file keeps its mode and its owner, and a created
 * one has mode 0600. Throws `failed_precondition` for a file that every user of the machine can change.
 */
export function policyWriter({
	path,
	data,
	clock,
}: PolicyPlace): (edit: (text: string) => string) => Promise<void> {
	return (edit) =>
		withFileLock(join(data, "run", "policy.lock"), clock, async () => {
			const text = await readPolicyText(path);
			const edited = edit(text);
			if (edited !== text) await replaceOwnedFile(path, edited);
		});
}

/** Empty if the file does not exist. */
async function readPolicyText(path: string): Promise<string> {
	try {
		refuseForeignWriters(path, await stat(path));
		return await readFile(path, "utf8");
	} catch (error) {
		if (errno(error) === "ENOENT") return "";
		throw error;
	}
}

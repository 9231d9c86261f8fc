import { access, constants, lstat, readFile, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, ParleyError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { errno } from "./errno.ts";
import { withFileLock } from "./file-lock.ts";
import { refuseForeignWriters } from "./foreign-writers.ts";
import { replaceOwnedFile } from "./private-file.ts";

interface PolicyPlace {
	readonly path: string;
	readonly clock: Clock;
}

const anyoneWrites = 0o222;

/**
 * Returns a function that edits the operator's policy file under a lock. An existing file keeps its mode and its
 * owner, and a new file gets mode 0600. The function rejects with `failed_precondition` for a read-only file and for
 * a link without a target. It also rejects for a file that every user of the machine can change.
 */
export function policyWriter({
	path,
	clock,
}: PolicyPlace): (edit: (text: string) => string) => Promise<void> {
	return async (edit) =>
		withFileLock(await lockOf(path), clock, async () => {
			const text = await readPolicyText(path);
			const edited = edit(text);
			if (edited !== text) await replaceOwnedFile(path, edited);
		});
}

async function lockOf(path: string): Promise<string> {
	// Gateways with different data directories may use the same policy file, so the lock is in the directory of the
	// policy file.
	const target = await realpath(path).catch(() => path);
	return join(dirname(target), "run", "policy.lock");
}

/** Returns the text of the policy file, or "" if the file does not exist. Rejects if the file must not be edited. */
async function readPolicyText(path: string): Promise<string> {
	try {
		const facts = await stat(path);
		refuseForeignWriters(path, facts);
		// `access` does not suffice: root can write in spite of the mode.
		if ((facts.mode & anyoneWrites) === 0) {
			throw new ParleyError(dataDirectoryTexts.readOnlyPolicy({ path }), { code: "failed_precondition" });
		}
		await access(path, constants.W_OK);
		return await readFile(path, "utf8");
	} catch (error) {
		if (errno(error) !== "ENOENT") throw error;
		await refuseDanglingLink(path);
		return "";
	}
}

/** Rejects if the missing file is the target of a link, because the new file would replace the link itself. */
async function refuseDanglingLink(path: string): Promise<void> {
	const facts = await lstat(path).catch(() => undefined);
	if (!facts?.isSymbolicLink()) return;
	const target = await readlink(path);
	throw new ParleyError(dataDirectoryTexts.danglingPolicy({ path, target }), { code: "failed_precondition" });
}

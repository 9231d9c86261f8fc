import { randomBytes } from "node:crypto";
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";
import { errno } from "./errno.ts";

/** Writes a file of mode 0600 atomically and replaces an existing one. Creates its directory with mode 0700. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
	await rename(await writeDraft(path, text), path);
}

/** Like `replacePrivateFile`, but does not replace an existing file. Only one of several writers succeeds. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
	const draft = await writeDraft(path, text);
	try {
		await link(draft, path);
	} catch (error) {
		if (errno(error) !== "EEXIST") throw error;
	} finally {
		await rm(draft);
	}
}

/** Refuses a file or directory with any of the `forbidden` permission bits, with the command that fixes it. */
export async function checkPermissions(path: string, forbidden: number): Promise<void> {
	const status = await stat(path);
	if ((status.mode & forbidden) === 0) return;
	const mode = (status.mode & 0o777).toString(8);
	const fix = `chmod ${status.isDirectory() ? "700" : "600"} '${path.replaceAll("'", "'\\''")}'`;
	throw new ParleyError(`${path} is open to other users of this machine (mode ${mode}); run: ${fix}`, {
		code: "failed_precondition",
	});
}

async function writeDraft(path: string, text: string): Promise<string> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
	await using file = await open(draft, "wx", 0o600);
	await file.writeFile(text);
	await file.sync();
	return draft;
}

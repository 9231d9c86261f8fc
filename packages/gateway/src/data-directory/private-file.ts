import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, chown, link, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CorrectableError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { errno } from "./errno.ts";

/** Writes a file of mode 0600 atomically, and replaces an existing file. Creates a missing directory with mode 0700. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
	await rename(await writeDraft(path, text), path);
}

/**
 * Writes a file as `replacePrivateFile` does, but an existing file keeps its mode and its owner. If `path` is a link,
 * the target of the link is replaced. Rejects with the error of the system if this user cannot give the new file to
 * the owner of the existing file.
 */
export async function replaceOwnedFile(path: string, text: string): Promise<void> {
	const target = await realpath(path).catch(() => path);
	const facts = await stat(target).catch((error: unknown) => {
		if (errno(error) === "ENOENT") return undefined;
		throw error;
	});
	const draft = await writeDraft(target, text);
	try {
		if (facts) await copyOwnership(draft, facts);
		await rename(draft, target);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
}

async function copyOwnership(draft: string, { mode, uid, gid }: Stats): Promise<void> {
	const own = await stat(draft);
	if (own.uid !== uid || own.gid !== gid) await chown(draft, uid, gid);
	await chmod(draft, mode & 0o777);
}

/**
 * Creates a file of mode 0600 atomically. Does nothing if the file exists, for example because another process has
 * created it in the meantime.
 */
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

/**
 * Rejects with `failed_precondition` for a file or directory with any of the `forbidden` permission bits. The
 * error names the command that corrects the mode.
 */
export async function checkPermissions(path: string, forbidden: number): Promise<void> {
	const status = await stat(path);
	if ((status.mode & forbidden) === 0) return;
	const mode = (status.mode & 0o777).toString(8);
	const fix = `chmod ${status.isDirectory() ? "700" : "600"} '${path.replaceAll("'", "'\\''")}'`;
	throw new CorrectableError(
		{ what: dataDirectoryTexts.openFile({ path, mode }), fix, separator: dataDirectoryTexts.beforeCommand },
		{ code: "failed_precondition" },
	);
}

/**
 * Writes a draft of mode 0600 beside `path`, and returns the path of the draft. Creates a missing directory with mode
 * 0700.
 */
export async function writeDraft(path: string, text: string): Promise<string> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
	await using file = await open(draft, "wx", 0o600);
	await file.writeFile(text);
	await file.sync();
	return draft;
}

/**
 * Removes drafts that killed processes left behind, because drafts may contain keys. All writers of the path
 * must use one lock, which the caller must have acquired.
 */
export async function removeDrafts(path: string): Promise<void> {
	const directory = dirname(path);
	const start = `${basename(path)}.`;
	const drafts = (await readdir(directory)).filter(
		(name) => name.startsWith(start) && /^[0-9a-f]{12}\.draft$/.test(name.slice(start.length)),
	);
	for (const name of drafts) await rm(join(directory, name), { force: true });
}

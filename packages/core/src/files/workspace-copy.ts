import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { fileError, systemCode } from "../filesystem/file-error.ts";
import { OpenDirectory, readChunks } from "../filesystem/regular-file.ts";
import { type ContentFacts, nthName, writeContent } from "./content-facts.ts";
import { storedFileErrorTexts } from "./texts.ts";

const folder = "attachments";
const maxCopiesOfName = 1000;
/** Error codes of link(2) if the file system or a system rule does not allow hard links. */
const withoutLinks = ["EPERM", "EACCES", "EXDEV", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Copies a stored file to a directory inside the working directory. Returns the path of the copy, relative to the
 * working directory. Existing files stay unchanged. If a file with the same name and the same content exists, returns
 * the path of the existing file. If only the name is the same, the copy gets a different name. `makeLink` is link(2).
 */
export async function copyToWorkspace(
	workspace: string,
	{ id, name }: { readonly id: string; readonly name: string },
	content: AsyncIterable<Uint8Array>,
	makeLink: typeof link = link,
): Promise<string> {
	try {
		await using root = await OpenDirectory.open(workspace);
		await using directory = await root.enter(folder, true);
		const temporary = directory.at(`.parley-${id}.tmp`);
		// An interrupted run may have left a temporary file.
		await rm(temporary, { force: true });
		const facts = await writeContent(temporary, content, { mode: 0o666 });
		const placed = await place(temporary, { directory, name, facts }, makeLink);
		await rm(temporary, { force: true });
		return `${folder}/${placed}`;
	} catch (reason) {
		throw fileError(storedFileErrorTexts.cannotCopy(name, join(workspace, folder)), reason);
	}
}

interface Copy {
	readonly directory: OpenDirectory;
	readonly name: string;
	readonly facts: ContentFacts;
}

/**
 * Moves the temporary file to the first free name and returns this name. If a file with an earlier candidate name has
 * the same content, returns that name instead.
 */
async function place(
	temporary: string,
	{ directory, name, facts }: Copy,
	makeLink: typeof link,
): Promise<string> {
	for (let n = 1; n <= maxCopiesOfName; n++) {
		const candidate = nthName(name, n);
		const path = directory.at(candidate);
		if (await move(temporary, path, makeLink)) return candidate;
		if (await hasContent(path, facts)) {
			await rm(temporary, { force: true });
			return candidate;
		}
	}
	throw new ParleyError(storedFileErrorTexts.tooManyCopies(maxCopiesOfName, name), {
		code: "resource_exhausted",
	});
}

/**
 * Moves the temporary file to an unused path. Returns false if the path is used. With hard links, the move is
 * one step, so a stop of the gateway leaves no empty file.
 */
async function move(temporary: string, path: string, makeLink: typeof link): Promise<boolean> {
	try {
		await makeLink(temporary, path);
	} catch (cause) {
		const code = systemCode(cause);
		if (code === "EEXIST") return false;
		if (!withoutLinks.includes(code)) throw cause;
		if (!(await claim(path))) return false;
		await rename(temporary, path);
		return true;
	}
	await rm(temporary);
	return true;
}

async function claim(path: string): Promise<boolean> {
	try {
		await using _claimed = await open(path, "wx");
		return true;
	} catch (cause) {
		if (systemCode(cause) === "EEXIST") return false;
		throw cause;
	}
}

async function hasContent(path: string, { bytes, sha256 }: ContentFacts): Promise<boolean> {
	const existing = await lstat(path);
	if (!existing.isFile() || existing.size !== bytes) return false;
	// The directory is open, so a replaced path cannot redirect the name.
	await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	const hash = createHash("sha256");
	for await (const chunk of readChunks(file, path, new AbortController().signal)) hash.update(chunk);
	return hash.digest("hex") === sha256;
}

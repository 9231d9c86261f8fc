import { createHash } from "node:crypto";
import { link, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { fileError, systemCode } from "../tools/file-error.ts";
import { openRegular, readChunks } from "../tools/regular-file.ts";
import type { ContentFacts } from "./content-facts.ts";
import type { FileFacts } from "./file-facts.ts";
import { nthName } from "./file-name.ts";
import { writeContent } from "./write-content.ts";

/** Below the working directory. */
const folder = "attachments";
const mostOfOneName = 1000;
/** What link(2) says where the file system, or a rule of the system, knows no hard links. */
const withoutLinks = ["EPERM", "EACCES", "EXDEV", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Puts a copy of a kept file below the working directory and returns its path relative to that. What is there already
 * is never changed: a copy of another content gets another name, one of the same content is the copy. `makeLink` is
 * link(2).
 */
export async function copyToWorkspace(
	workspace: string,
	{ id, name }: Pick<FileFacts, "id" | "name">,
	content: AsyncIterable<Uint8Array>,
	makeLink: typeof link = link,
): Promise<string> {
	const directory = join(workspace, folder);
	const temporary = join(directory, `.parley-${id}.tmp`);
	try {
		await makeDirectory(directory);
		// Left by a run that was cut off, if it is there at all.
		await rm(temporary, { force: true });
		const facts = await writeContent(temporary, content, { mode: 0o666 });
		const placed = await place(temporary, { directory, name, facts }, makeLink);
		await rm(temporary, { force: true });
		return `${folder}/${placed}`;
	} catch (reason) {
		throw fileError(`no copy of it could be put into ${directory}`, reason);
	}
}

async function makeDirectory(directory: string): Promise<void> {
	try {
		await mkdir(directory);
	} catch (cause) {
		if (systemCode(cause) !== "EEXIST") throw cause;
	}
	const standing = await lstat(directory);
	if (standing.isDirectory() && (await realpath(directory)) === directory) return;
	throw new ParleyError(`${directory} is no directory of its own`, { code: "failed_precondition" });
}

interface Copy {
	readonly directory: string;
	readonly name: string;
	readonly facts: ContentFacts;
}

/** Moves the copy to the first free name, or leaves it where the same content has one before that. */
async function place(
	temporary: string,
	{ directory, name, facts }: Copy,
	makeLink: typeof link,
): Promise<string> {
	for (let n = 1; n <= mostOfOneName; n++) {
		const candidate = nthName(name, n);
		const path = join(directory, candidate);
		if (await move(temporary, path, makeLink)) return candidate;
		if (await holds(path, facts)) {
			await rm(temporary, { force: true });
			return candidate;
		}
	}
	throw new ParleyError(`${mostOfOneName} files are called ${name} there`, { code: "resource_exhausted" });
}

/** Gives the file a name that is free, in one step where the disk can: a stop of the gateway leaves no empty file there. */
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

async function holds(path: string, { bytes, sha256 }: ContentFacts): Promise<boolean> {
	const standing = await lstat(path);
	if (!standing.isFile() || standing.size !== bytes) return false;
	await using file = await openRegular(path, path);
	const hash = createHash("sha256");
	for await (const chunk of readChunks(file, path, new AbortController().signal)) hash.update(chunk);
	return hash.digest("hex") === sha256;
}

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { ifThere } from "../../../filesystem/file-error.ts";
import { sha256 } from "../../../text/sha256.ts";
import { visible } from "../../../text/visible.ts";
import { faultsOf } from "../../../tools/calls/tool-call.ts";
import { type DirectoryEntry, readEntry } from "./directory-entry.ts";
import { directoryFileTexts } from "./texts.ts";

/** Name of the file that lists the MCP servers of a directory. Other agents also read this file. */
export const directoryFileName = ".mcp.json";
const maxFileBytes = 256 * 1024;

/** Schema of the file. `readEntry` checks each entry, so that an invalid entry does not affect other entries. */
const File = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

export interface DirectoryFile {
	/** SHA-256 of the file. */
	readonly hash: string;
	readonly entries: readonly DirectoryEntry[];
	/** Reasons of unusable entries, by name. Each reason begins with the name, escaped and shortened for display. */
	readonly refused: ReadonlyMap<string, string>;
}

/**
 * Reads the `.mcp.json` of a directory. Returns undefined if there is no file that the gateway's user can open, or if
 * the file is a link. Throws `invalid_argument` if the file is unusable.
 */
export async function readDirectoryFile(directory: string): Promise<DirectoryFile | undefined> {
	const bytes = await ifThere(readSmallFile(join(directory, directoryFileName), maxFileBytes));
	if (bytes === undefined) return undefined;
	const { success, data, error } = File.safeParse(parseFile(bytes));
	if (!success) throw invalidFile(faultsOf(error.issues), error);
	const entries: DirectoryEntry[] = [];
	const refused = new Map<string, string>();
	for (const [name, written] of Object.entries(data.mcpServers)) {
		try {
			entries.push(readEntry(name, written));
		} catch (reason) {
			const { message } = ParleyError.from(reason);
			refused.set(name, directoryFileTexts.refused(visible(name.slice(0, longestName)), message));
		}
	}
	return { hash: sha256(bytes), entries, refused };
}

/** Maximum characters of a refused entry's name in texts. */
const longestName = 64;

function parseFile(bytes: Buffer): unknown {
	try {
		return parseJson(bytes.toString("utf8"), { uniqueKeys: true });
	} catch (reason) {
		throw invalidFile(ParleyError.from(reason).message, reason);
	}
}

function invalidFile(reason: string, cause: unknown): ParleyError {
	const message = directoryFileTexts.invalidFile(directoryFileName, visible(reason));
	return new ParleyError(message, { code: "invalid_argument", cause });
}

/**
 * Reads a file of at most `max` bytes. Throws if the path is a link or not a regular file, or if the file is larger or
 * changes during the read.
 */
export async function readSmallFile(path: string, max: number): Promise<Buffer> {
	await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	const facts = await file.stat();
	if (!facts.isFile())
		throw new ParleyError(directoryFileTexts.notRegular(path), { code: "invalid_argument" });
	if (facts.size > max)
		throw new ParleyError(directoryFileTexts.tooLarge(path, max), { code: "invalid_argument" });
	const bytes = await readUpTo(file, facts.size + 1);
	if (bytes.length !== facts.size) {
		throw new ParleyError(directoryFileTexts.changedWhileRead(path), { code: "unavailable" });
	}
	return bytes;
}

async function readUpTo(file: FileHandle, max: number): Promise<Buffer> {
	const bytes = Buffer.alloc(max);
	let used = 0;
	while (used < max) {
		const { bytesRead } = await file.read(bytes, used, max - used, used);
		if (bytesRead === 0) break;
		used += bytesRead;
	}
	return bytes.subarray(0, used);
}

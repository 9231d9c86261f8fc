import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import { type ContentFacts, ContentWatch } from "./content-facts.ts";

interface WriteOptions {
	/** For this user alone unless told. */
	readonly mode?: number;
	/** May throw before each piece is written, told how large it is. */
	readonly admit?: (bytes: number) => void;
}

/**
 * Writes a content to a file that was not there, as fast as the disk takes it: durable and whole when it resolves,
 * nothing of it is left when it rejects.
 */
export async function writeContent(
	path: string,
	content: AsyncIterable<Uint8Array>,
	{ mode = 0o600, admit }: WriteOptions = {},
): Promise<ContentFacts> {
	const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
	await using file = await open(path, flags, mode);
	const watch = new ContentWatch();
	try {
		for await (const chunk of content) {
			admit?.(chunk.length);
			watch.take(chunk);
			await file.writeFile(chunk);
		}
		await file.sync();
		return await watch.facts();
	} catch (reason) {
		await rm(path, { force: true });
		throw reason;
	}
}

import { open } from "node:fs/promises";

/** Makes the names of the files in a directory durable: https://man7.org/linux/man-pages/man2/fsync.2.html */
export async function syncDirectory(path: string): Promise<void> {
	await using directory = await open(path, "r");
	await directory.sync();
}

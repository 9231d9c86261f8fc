import { open } from "node:fs/promises";

/** Makes it last which files a directory holds, under which names: https://man7.org/linux/man-pages/man2/fsync.2.html */
export async function syncDirectory(path: string): Promise<void> {
	await using directory = await open(path, "r");
	await directory.sync();
}

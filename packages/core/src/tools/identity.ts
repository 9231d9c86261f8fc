import { realpath, stat } from "node:fs/promises";

/** The real path of a file or directory and its number in the file system: another one there has another identity. */
export async function identityOf(path: string): Promise<string> {
	const real = await realpath(path);
	const { dev, ino } = await stat(real, { bigint: true });
	return `${real} ${dev}:${ino}`;
}

import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";

/** The content of larger files is not read: size, `mtime` and `ctime` in nanoseconds stand for it. */
const mostHashed = 50n * 1024n * 1024n;

/** The real path of a file or directory and its number in the file system: another one there has another identity. */
export async function identityOf(path: string): Promise<string> {
	const real = await realpath(path);
	const { dev, ino } = await stat(real, { bigint: true });
	return `${real} ${dev}:${ino}`;
}

/** The same with what stands in the file: the same file with other content has another identity. */
export async function contentIdentityOf(path: string): Promise<string> {
	const real = await realpath(path);
	// Something else could stand there by now that opening would wait for.
	await using file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
	const stats = await file.stat({ bigint: true });
	const { dev, ino } = stats;
	if (!stats.isFile() || stats.size > mostHashed) return `${real} ${dev}:${ino} ${factsOf(stats)}`;
	const hash = createHash("sha256");
	for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk);
	return `${real} ${dev}:${ino} sha256:${hash.digest("hex")}`;
}

function factsOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
	return `size:${size} ${mtimeNs} ${ctimeNs}`;
}

import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import { ifThere } from "./if-there.ts";
import { walk } from "./walk.ts";

/** Bytes that are read of the kernel's list. A line has about a hundred. */
const LIST_BYTES = 4 * 1024 * 1024;
/** `Num RefCount Protocol Flags Type St Inode Path`: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const line = /^[0-9a-f]+:(?: [0-9A-F]+){5} +\d+(?: (.+))?$/;

/**
 * Socket files of processes outside at or below these directories. A network namespace does not keep a command from
 * connecting to them. If the kernel's list is incomplete (a relative name, a list that is too long), the directories are
 * searched instead.
 */
export async function hostSockets(directories: readonly string[]): Promise<string[]> {
	const { names, isWhole } = namesIn((await ifThere(readList())) ?? "");
	const real = await Promise.all(names.map(realName));
	const listed = real.filter((path) => path !== undefined && directories.some((one) => isWithin(path, one)));
	const searched = isWhole ? [] : await walk(directories, (_, entry) => entry.isSocket());
	const found = new Set([...listed, ...searched].filter((path) => path !== undefined));
	const stats = await Promise.all([...found].map(async (path) => ({ path, is: await ifThere(lstat(path)) })));
	return stats.filter(({ is }) => is?.isSocket()).map(({ path }) => path);
}

/** Absolute names in the kernel's list, and whether the list has no other sockets with a file. */
export function namesIn(list: string): { readonly names: string[]; readonly isWhole: boolean } {
	const [header, ...lines] = list.split("\n");
	const matches = lines.slice(0, -1).map((text) => line.exec(text));
	const names = matches.flatMap((match) => match?.[1] ?? []).filter((name) => !name.startsWith("@"));
	return {
		names: [...new Set(names.filter((name) => name.startsWith("/")))],
		isWhole:
			header !== "" &&
			lines.at(-1) === "" &&
			matches.every((match) => match !== null) &&
			names.every((name) => name.startsWith("/")),
	};
}

/** Path of a socket file with all links resolved, as the paths of roots are. */
async function realName(name: string): Promise<string | undefined> {
	const directory = await ifThere(realpath(dirname(name)));
	return directory && join(directory, basename(name));
}

/** Reads at most `LIST_BYTES`. Files of /proc have no size and can be long. */
async function readList(): Promise<string> {
	await using file = await open("/proc/self/net/unix");
	const buffer = Buffer.alloc(LIST_BYTES);
	let length = 0;
	for (let read = -1; read !== 0 && length < LIST_BYTES; length += read) {
		({ bytesRead: read } = await file.read(buffer, length, LIST_BYTES - length, null));
	}
	return buffer.toString("utf8", 0, length);
}

import { close, open, read } from "node:fs";
import { isIPv4, isIPv6 } from "node:net";
import { endianness } from "node:os";
import { promisify } from "node:util";
import { errno } from "../data-directory/errno.ts";
import type { ConnectionAddresses } from "./incoming-request.ts";

/** Owner of the socket at the far end of a connection, if that socket is on this machine. */
export interface SocketOwner {
	readonly uid: number;
	readonly inode: string;
}

/** A table of the kernel, for IPv4 sockets or for IPv6 sockets. */
export type TableName = "tcp" | "tcp6";

/** Reads a table as text parts, in order. A row may be split between two parts. */
export type ReadTable = (name: TableName) => AsyncIterable<string>;

/**
 * Size of one read in bytes. The kernel returns one page at a time: https://docs.kernel.org/filesystems/seq_file.html
 */
const PART_BYTES = 4_096;

// A file handle with promises needs a third more CPU time for each page.
const [openFile, readFile, closeFile] = [promisify(open), promisify(read), promisify(close)];

/**
 * Reads `/proc/net/tcp` or `tcp6`, for the network namespace of this process. Yields nothing on systems without these
 * files.
 */
export async function* readSocketTable(name: TableName): AsyncGenerator<string> {
	const file = await openFile(`/proc/net/${name}`, "r").catch((error: unknown) => {
		if (errno(error) !== "ENOENT") throw error;
	});
	if (file === undefined) return;
	try {
		const buffer = Buffer.alloc(PART_BYTES);
		for (;;) {
			const { bytesRead } = await readFile(file, buffer, 0, PART_BYTES, null);
			if (bytesRead === 0) return;
			yield buffer.toString("latin1", 0, bytesRead);
		}
	} finally {
		await closeFile(file);
	}
}

/** Number of keys below which a part of the table is parsed only if it contains one of the keys. */
const FEW = 8;

/** State TCP_ESTABLISHED: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html */
const ESTABLISHED = "01";

/**
 * Returns the owner of each connection's far end, in the order of `connections`. An owner is undefined if the far end
 * is not in the tables or not established. It is also undefined if the far end has no socket: the kernel then reports
 * inode 0 and uid 0. Reading stops when all owners are found, because each part takes the kernel a millisecond or
 * more.
 */
export async function findOwners(
	connections: readonly ConnectionAddresses[],
	readTable: ReadTable = readSocketTable,
): Promise<(SocketOwner | undefined)[]> {
	const keys = connections.map(tableKeys);
	const owners = new Map<string, SocketOwner>();
	const ownerOf = (ofOne: readonly Key[]): SocketOwner | undefined =>
		ofOne.map(({ key }) => owners.get(key)).find((owner) => owner !== undefined);
	for (const table of ["tcp", "tcp6"] as const) {
		const open = keys.filter((ofOne) => ownerOf(ofOne) === undefined);
		const requested = open.flatMap((ofOne) => ofOne.filter((each) => each.table === table));
		await readOwners(readTable(table), new Set(requested.map(({ key }) => key)), owners);
	}
	return keys.map(ownerOf);
}

/** Finds the owners of the requested keys in a table. Moves the found keys from `requested` to `owners`. */
async function readOwners(
	parts: AsyncIterable<string>,
	requested: Set<string>,
	owners: Map<string, SocketOwner>,
): Promise<void> {
	if (requested.size === 0) return;
	let rest = "";
	for await (const part of parts) {
		const text = rest + part;
		const end = text.lastIndexOf("\n") + 1;
		rest = text.slice(end);
		// Searching for a few keys costs less than parsing every row.
		if (requested.size < FEW && ![...requested].some((key) => text.includes(key))) continue;
		for (const row of text.slice(0, end).split("\n")) readOwner(row, requested, owners);
		if (requested.size === 0) return;
	}
	readOwner(rest, requested, owners);
}

function readOwner(row: string, requested: Set<string>, owners: Map<string, SocketOwner>): void {
	const key = keyOf(row);
	if (!requested.has(key)) return;
	const [, , , state, , , , uid, , inode] = row.trim().split(/\s+/);
	if (state !== ESTABLISHED || inode === undefined || inode === "0") return;
	owners.set(key, { uid: Number(uid), inode });
	requested.delete(key);
}

/** Returns both addresses and ports of a row, in the notation of the table. */
function keyOf(row: string): string {
	// No regular expression is used, because a table may have 40,000 rows.
	const start = row.indexOf(": ") + 2;
	const middle = row.indexOf(" ", start);
	return row.slice(start, row.indexOf(" ", middle + 1));
}

interface Key {
	readonly table: TableName;
	readonly key: string;
}

function tableKeys({ remoteAddress, remotePort, localAddress, localPort }: ConnectionAddresses): Key[] {
	if (remoteAddress === undefined || remotePort === undefined) return [];
	if (localAddress === undefined || localPort === undefined) return [];
	const [far, near] = [unmapped(remoteAddress), unmapped(localAddress)];
	const key = (write: (address: string) => string): string =>
		`${write(far)}:${hexPort(remotePort)} ${write(near)}:${hexPort(localPort)}`;
	const mapped = (address: string): string => hexIPv6(`::ffff:${address}`);
	// An IPv4 connection on an IPv6 socket is in the IPv6 table, with IPv4-mapped addresses.
	if (isIPv4(far) && isIPv4(near)) {
		return [
			{ table: "tcp", key: key(hexIPv4) },
			{ table: "tcp6", key: key(mapped) },
		];
	}
	return isIPv6(far) && isIPv6(near) ? [{ table: "tcp6", key: key(hexIPv6) }] : [];
}

function unmapped(address: string): string {
	return address.replace(/^::ffff:(?=[0-9.]+$)/i, "");
}

function hexPort(port: number): string {
	return port.toString(16).toUpperCase().padStart(4, "0");
}

function hexIPv4(address: string): string {
	return hexWords(Buffer.from(address.split(".").map(Number)));
}

function hexIPv6(address: string): string {
	return hexWords(bytesOfIPv6(address));
}

function hexWords(bytes: Buffer): string {
	// The kernel writes words of 32 bits in the byte order of the processor.
	if (endianness() === "LE") bytes.swap32();
	return bytes.toString("hex").toUpperCase();
}

function bytesOfIPv6(address: string): Buffer {
	// In the URL standard's form, an address has up to eight groups of hexadecimal digits, at most one gap, and no dotted tail.
	const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
	const [before, after] = [groups(head), groups(tail ?? "")];
	const gap = new Array<number>(8 - before.length - after.length).fill(0);
	const bytes = Buffer.alloc(16);
	[...before, ...gap, ...after].forEach((group, index) => {
		bytes.writeUInt16BE(group, 2 * index);
	});
	return bytes;
}

function groups(text: string): number[] {
	return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

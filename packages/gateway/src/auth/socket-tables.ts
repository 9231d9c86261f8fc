import { readFile } from "node:fs/promises";
import { isIPv4, isIPv6 } from "node:net";
import { endianness } from "node:os";
import { errno } from "../errno.ts";
import type { Connection } from "./incoming-request.ts";

/** Who owns the far end of a connection, when that end is on this machine and open. */
export interface SocketOwner {
	readonly uid: number;
	readonly inode: string;
}

/**
 * The text of the kernel's TCP tables, `/proc/net/tcp` and `tcp6` of this process's network; nothing where the system
 * has no such files.
 */
export async function readSocketTables(): Promise<readonly string[]> {
	return await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(readTable));
}

async function readTable(path: string): Promise<string> {
	try {
		return await readFile(path, "latin1");
	} catch (error) {
		if (errno(error) === "ENOENT") return "";
		throw error;
	}
}

/** TCP_ESTABLISHED: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html */
const ESTABLISHED = "01";

/**
 * The owner of each connection's far end, in the same order. Undefined where the far end is not in the tables, is not
 * established, or belongs to no socket any more (the kernel then reports inode 0 and uid 0).
 */
export function findOwners(
	tables: readonly string[],
	connections: readonly Connection[],
): (SocketOwner | undefined)[] {
	const keys = connections.map(tableKeys);
	const owners = readOwners(tables, new Set(keys.flat()));
	return keys.map((ofOne) => ofOne.map((key) => owners.get(key)).find((owner) => owner !== undefined));
}

function readOwners(tables: readonly string[], wanted: ReadonlySet<string>): Map<string, SocketOwner> {
	const owners = new Map<string, SocketOwner>();
	for (const row of tables.flatMap((table) => table.split("\n"))) {
		const key = keyOf(row);
		if (!wanted.has(key)) continue;
		const [, , , state, , , , uid, , inode] = row.trim().split(/\s+/);
		if (state === ESTABLISHED && inode !== undefined && inode !== "0")
			owners.set(key, { uid: Number(uid), inode });
	}
	return owners;
}

/** The two addresses at the beginning of a row, after its number; without a regular expression: there may be 40,000 rows. */
function keyOf(row: string): string {
	const start = row.indexOf(": ") + 2;
	const middle = row.indexOf(" ", start);
	return row.slice(start, row.indexOf(" ", middle + 1));
}

/**
 * How the far end's row begins: its own address, then ours. A program may have opened an IPv4 connection on an IPv6
 * socket; its row then is in the IPv6 table, with mapped addresses.
 */
function tableKeys({ remoteAddress, remotePort, localAddress, localPort }: Connection): string[] {
	if (remoteAddress === undefined || remotePort === undefined) return [];
	if (localAddress === undefined || localPort === undefined) return [];
	const [far, near] = [unmapped(remoteAddress), unmapped(localAddress)];
	const key = (write: (address: string) => string): string =>
		`${write(far)}:${hexPort(remotePort)} ${write(near)}:${hexPort(localPort)}`;
	if (isIPv4(far) && isIPv4(near)) return [key(hexIPv4), key((address) => hexIPv6(`::ffff:${address}`))];
	return isIPv6(far) && isIPv6(near) ? [key(hexIPv6)] : [];
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

/** The kernel prints addresses in words of 32 bits, as numbers of this processor. */
function hexWords(bytes: Buffer): string {
	if (endianness() === "LE") bytes.swap32();
	return bytes.toString("hex").toUpperCase();
}

function bytesOfIPv6(address: string): Buffer {
	// The URL standard's form has eight groups of hexadecimal digits, at most one gap, and no dotted tail.
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

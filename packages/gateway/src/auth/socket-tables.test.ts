import { expect, test } from "vitest";
import { findOwners, type TableName } from "./socket-tables.ts";

const HEAD =
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/** Returns a row in the format of a little-endian kernel. */
function row(
	local: string,
	remote: string,
	rest: { state?: string; uid?: number; inode?: number } = {},
): string {
	const { state = "01", uid = 1000, inode = 4711 } = rest;
	const numbers = `00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode}`;
	return `   1: ${local} ${remote} ${state} ${numbers} 2 0000000000000000 20 4 30 10 -1\n`;
}

function reading(texts: Partial<Record<TableName, string>>, partLength = Number.POSITIVE_INFINITY) {
	const tablesRead: TableName[] = [];
	const read = async function* (name: TableName): AsyncGenerator<string> {
		tablesRead.push(name);
		const text = texts[name] ?? "";
		for (let at = 0; at < text.length; at += partLength) yield text.slice(at, at + partLength);
	};
	return { tablesRead, read };
}

function from(remoteAddress: string, localAddress = remoteAddress) {
	return { remoteAddress, remotePort: 50_000, localAddress, localPort: 7_777 };
}

const FAR = "0100007F:C350";
const NEAR = "0100007F:1E61";
const MAPPED = "0000000000000000FFFF0000";
const OWNER = { uid: 1000, inode: "4711" };

test.each([
	["IPv4", from("127.0.0.1"), "tcp", row(FAR, NEAR)],
	["another loopback address", from("127.0.0.2", "127.0.0.1"), "tcp", row("0200007F:C350", NEAR)],
	["IPv4 that our end sees as IPv6", from("::ffff:127.0.0.1"), "tcp", row(FAR, NEAR)],
	["IPv4 on an IPv6 socket", from("127.0.0.1"), "tcp6", row(`${MAPPED}${FAR}`, `${MAPPED}${NEAR}`)],
	["IPv4 on IPv6 sockets", from("::FFFF:127.0.0.1"), "tcp6", row(`${MAPPED}${FAR}`, `${MAPPED}${NEAR}`)],
	["IPv6", from("::1"), "tcp6", row(`${"0".repeat(24)}01000000:C350`, `${"0".repeat(24)}01000000:1E61`)],
	[
		"IPv6 with gaps",
		from("2001:db8::1:0:2", "2001:db8:0:1::"),
		"tcp6",
		row("B80D0120000000000100000002000000:C350", "B80D0120010000000000000000000000:1E61"),
	],
] as const)("the row of a client is found: %s", async (_, connection, table, text) => {
	const { read } = reading({ tcp: HEAD, tcp6: HEAD, [table]: HEAD + text });
	expect(await findOwners([connection], read)).toEqual([OWNER]);
});

test("a row that is split between two parts is found", async () => {
	for (const length of [1, 7, 100]) {
		const { read } = reading({ tcp: HEAD + row("0100007F:C351", NEAR) + row(FAR, NEAR) }, length);
		expect(await findOwners([from("127.0.0.1")], read)).toEqual([OWNER]);
	}
});

test("only the necessary part of the kernel tables is read to find the owners", async () => {
	const text = row(FAR, NEAR) + row("0100007F:C351", NEAR);
	const { tablesRead, read } = reading({ tcp: text, tcp6: text });
	await findOwners([from("127.0.0.1")], read);
	expect(tablesRead).toEqual(["tcp"]);
	let parts = 0;
	const endless = async function* (): AsyncGenerator<string> {
		for (;;) {
			parts += 1;
			yield text;
		}
	};
	expect(await findOwners([from("127.0.0.1")], endless)).toEqual([OWNER]);
	expect(parts).toBe(1);
});

test.each([
	["our own end", row(NEAR, FAR)],
	["another port", row("0100007F:C351", NEAR)],
	["another address", row("0200007F:C350", NEAR)],
	["another gateway", row(FAR, "0100007F:1E62")],
	["a connection that is being closed", row(FAR, NEAR, { state: "08" })],
	[
		"a connection that waits for its end, without an owner",
		row(FAR, NEAR, { state: "06", uid: 0, inode: 0 }),
	],
	["an established connection whose owner has closed it", row(FAR, NEAR, { uid: 0, inode: 0 })],
	["a row that is cut off", row(FAR, NEAR).slice(0, 60)],
	["nothing", ""],
])("the row of a client is not %s", async (_, text) => {
	const { read } = reading({ tcp: HEAD + text, tcp6: HEAD });
	expect(await findOwners([from("127.0.0.1")], read)).toEqual([undefined]);
});

test("a closed connection from the same address does not hide the open one", async () => {
	const ended = row(FAR, NEAR, { state: "06", uid: 0, inode: 0 });
	const open = row(FAR, NEAR);
	for (const tcp of [ended + open, open + ended]) {
		expect(await findOwners([from("127.0.0.1")], reading({ tcp }).read)).toEqual([OWNER]);
	}
});

test("many connections are looked up together, including one that was closed here", async () => {
	const closed = { localPort: 7_777 };
	const other = { ...from("127.0.0.1"), remotePort: 50_001 };
	const table = HEAD + row("0100007F:C351", NEAR, { uid: 7, inode: 8 }) + row(FAR, NEAR);
	const { read } = reading({ tcp: table });
	expect(await findOwners([from("127.0.0.1"), closed, other], read)).toEqual([
		OWNER,
		undefined,
		{ uid: 7, inode: "8" },
	]);
});

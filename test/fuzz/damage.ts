import type { Random } from "../random.ts";
import { RawSocket } from "./raw-socket.ts";
import type { Tally } from "./tally.ts";

/**
 * Bytes that damage a connection. `closes`: allowed codes of the gateway's close frame. If empty, the connection
 * may stay open.
 */
interface Damage {
	readonly bytes: Buffer;
	readonly closes: readonly number[];
}

interface Header {
	readonly first: number;
	readonly length?: number;
	readonly masked?: boolean;
}

const text = 0x81;
const binary = 0x82;
const close = 0x88;
const ping = 0x89;
const protocolError = [1002];

/** Returns a client frame: RFC 6455, section 5.2. */
function frame(payload: Buffer, { first, length = payload.length, masked = true }: Header): Buffer {
	const bit = masked ? 0x80 : 0;
	const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
	head[0] = first;
	if (length < 126) head[1] = bit | length;
	else if (length < 65_536) {
		head[1] = bit | 126;
		head.writeUInt16BE(length, 2);
	} else {
		head[1] = bit | 127;
		head.writeBigUInt64BE(BigInt(length), 2);
	}
	if (!masked) return Buffer.concat([head, payload]);
	const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
	return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

const request = Buffer.from(JSON.stringify({ type: "req", id: "d", method: "list_sessions", params: {} }));

const damages: readonly ((random: Random) => Damage)[] = [
	(random) => ({
		bytes: frame(request, { first: text | random.pick([0x10, 0x20, 0x40, 0x70]) }),
		closes: protocolError,
	}),
	(random) => ({
		bytes: frame(request, { first: 0x80 | random.pick([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]) }),
		closes: protocolError,
	}),
	() => ({ bytes: frame(request, { first: text, masked: false }), closes: protocolError }),
	(random) => ({
		bytes: frame(request, { first: text, length: random.pick([1_048_577, 2 ** 31, 2 ** 52]) }),
		closes: [1009],
	}),
	() => ({ bytes: frame(Buffer.alloc(0), { first: text, length: 2 ** 60 }), closes: [1009] }),
	(random) => ({
		bytes: frame(Buffer.from(random.pick([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88]])), {
			first: text,
		}),
		closes: [1007],
	}),
	(random) => ({
		bytes: frame(Buffer.from(random.pick([[0xff, 0xfe], [0x7b], [0x6e, 0x6f], [0xc3, 0x28]])), {
			first: binary,
		}),
		closes: [1003],
	}),
	() => ({ bytes: frame(request, { first: 0x80 }), closes: protocolError }),
	() => ({
		bytes: Buffer.concat([frame(request, { first: 0x01 }), frame(request, { first: text })]),
		closes: protocolError,
	}),
	() => ({
		bytes: Buffer.concat([
			frame(request, { first: 0x01 }),
			...Array<Buffer>(300).fill(frame(Buffer.from(" "), { first: 0x00 })),
		]),
		closes: [1008],
	}),
	() => ({ bytes: frame(Buffer.alloc(126), { first: ping }), closes: protocolError }),
	() => ({ bytes: frame(Buffer.alloc(1), { first: 0x09 }), closes: protocolError }),
	(random) => ({
		bytes: frame(Buffer.from(random.pick([[0, 0], [3, 237], [255, 255], [7]])), { first: close }),
		closes: protocolError,
	}),
	() => ({ bytes: frame(Buffer.from([0x03, 0xe8, 0xff]), { first: close }), closes: [1007] }),
	(random) => ({ bytes: frame(request, { first: text }).subarray(0, random.between(1, 40)), closes: [] }),
	(random) => ({ bytes: Buffer.from(Array.from({ length: 64 }, () => random.below(256))), closes: [] }),
	() => ({
		bytes: Buffer.concat(Array<Buffer>(100).fill(frame(Buffer.from("p"), { first: ping }))),
		closes: [],
	}),
];

export const damageKinds = damages.length;

export interface DamageOptions {
	readonly port: number;
	/** Index of the kind of damage, less than `damageKinds`. */
	readonly kind: number;
	readonly random: Random;
	readonly tally: Tally;
}

/**
 * Sends damaged, forbidden or too many WebSocket frames. Checks the close code if the gateway must close the
 * connection.
 */
export async function damage({ port, kind, random, tally }: DamageOptions): Promise<void> {
	const { bytes, closes } = damages[kind]?.(random) ?? { bytes: Buffer.alloc(0), closes: [] };
	const socket = await RawSocket.open(port);
	try {
		const key = Buffer.from(Array.from({ length: 16 }, () => random.below(256))).toString("base64");
		const head = [
			...["GET /api/ws HTTP/1.1", `Host: 127.0.0.1:${port}`, "Connection: Upgrade", "Upgrade: websocket"],
			...["Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "", ""],
		];
		socket.write(Buffer.from(head.join("\r\n")));
		await socket.until("the connection is upgraded", () => socket.received.includes("\r\n\r\n"));
		const start = socket.received.indexOf("\r\n\r\n") + 4;
		socket.write(bytes);
		if (closes.length > 0) await socket.over();
		const code = closeCode(socket.received.subarray(start));
		if (closes.length > 0 && (code === undefined || !closes.includes(code))) {
			tally.fault(`damage ${kind} was closed with ${code} instead of ${closes.join(", ")}`);
		}
	} catch (reason) {
		tally.fault(`damage ${kind}: ${reason}`);
	}
	socket.destroy();
}

function closeCode(bytes: Buffer): number | undefined {
	let rest = bytes;
	while (rest.length >= 2 && rest[0] !== close) {
		const { start, length } = measure(rest);
		rest = rest.subarray(start + length);
	}
	return rest.length >= 4 ? rest.readUInt16BE(measure(rest).start) : undefined;
}

/** Returns the start and the length of the payload in a server's frame, which is not masked. */
function measure(bytes: Buffer): { readonly start: number; readonly length: number } {
	const length = bytes.readUInt8(1);
	if (length < 126) return { start: 2, length };
	if (length === 126) return { start: 4, length: bytes.readUInt16BE(2) };
	return { start: 10, length: Number(bytes.readBigUInt64BE(2)) };
}

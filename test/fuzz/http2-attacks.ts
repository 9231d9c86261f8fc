import type { Random } from "../random.ts";

/** The bytes of one connection, and the required reaction of the gateway. */
export interface Http2Attack {
	readonly kind: string;
	readonly bytes: Buffer;
	/** `ends`: the gateway must close the connection. `any`: the gateway may also keep it open. */
	readonly outcome: "ends" | "any";
}

/** Opaque data of the last PING. Its acknowledgement shows that the gateway has read all frames. */
export const lastPing = Buffer.from("the last");

const types = {
	data: 0,
	headers: 1,
	priority: 2,
	reset: 3,
	settings: 4,
	ping: 6,
	goAway: 7,
	window: 8,
	more: 9,
};
const endStream = 0x1;
const endHeaders = 0x4;
const padded = 0x8;

/** Encodes an HTTP/2 frame: https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */
function frame(type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer {
	const head = Buffer.alloc(9);
	head.writeUIntBE(payload.length, 0, 3);
	head[3] = type;
	head[4] = flags;
	head.writeUInt32BE(stream, 5);
	return Buffer.concat([head, payload]);
}

function number(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** Encodes a setting: https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2 */
function setting(id: number, value: number): Buffer {
	return Buffer.concat([Buffer.from([0, id]), number(value)]);
}

const initialWindow = 4;

function hpackText(text: string): Buffer {
	// The length is an integer with a seven-bit prefix: https://www.rfc-editor.org/rfc/rfc7541#section-5.2
	const length = Buffer.byteLength(text);
	const bytes: number[] = [Math.min(length, 127)];
	for (let remaining = length - 127; remaining >= 0; remaining = remaining < 128 ? -1 : remaining >> 7) {
		bytes.push(remaining < 128 ? remaining : (remaining % 128) + 128);
	}
	return Buffer.concat([Buffer.from(bytes), Buffer.from(text)]);
}

/** Encodes header fields. With `indexed`, the fields enter the dynamic table. */
function hpack(headers: Readonly<Record<string, string>>, indexed = false): Buffer {
	const fields = Object.entries(headers);
	return Buffer.concat(
		fields.flatMap(([name, value]) => [Buffer.from([indexed ? 0x40 : 0]), hpackText(name), hpackText(value)]),
	);
}

const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(types.settings, 0)]);

/** Function that returns the frames of an attack. `request` is the header block of a valid request. */
type Make = (random: Random, request: Buffer) => readonly Buffer[];

interface Kind {
	readonly make: Make;
	readonly outcome?: "ends";
}

function times(count: number, make: (index: number) => Buffer): Buffer[] {
	return Array.from({ length: count }, (_, index) => make(index));
}

function odd(index: number): number {
	// Streams that a client opens have odd ids.
	return 2 * index + 1;
}

const longHeader = { "x-long": "a".repeat(3_900) };
/** Reference to the first entry of the dynamic table: https://www.rfc-editor.org/rfc/rfc7541#section-6.1 */
const firstDynamic = Buffer.from([0x80 + 62]);

const kinds: Readonly<Record<string, Kind>> = {
	pings: {
		make: () => times(20_000, (index) => frame(types.ping, 0, Buffer.from(String(index).padStart(8)))),
	},
	settings: { make: () => times(5_000, (index) => frame(types.settings, 0, setting(initialWindow, index))) },
	"long settings": {
		make: () => [frame(types.settings, 0, Buffer.concat(times(2_000, () => setting(initialWindow, 1))))],
		outcome: "ends",
	},
	"rapid resets": {
		make: (_, request) =>
			times(5_000, (index) =>
				Buffer.concat([
					frame(types.headers, odd(index), request, endHeaders),
					frame(types.reset, odd(index), number(8)),
				]),
			),
		outcome: "ends",
	},
	"requests and resets of others": {
		make: (_, request) => [
			frame(types.headers, 1, request, endHeaders),
			...times(5_000, () => frame(types.reset, 1, number(8))),
		],
	},
	"header bomb": {
		make: (_, request) =>
			times(20, (index) => {
				const bomb = Buffer.concat([request, hpack(longHeader, true), Buffer.alloc(4_000, firstDynamic)]);
				return frame(types.headers, odd(index), bomb, endHeaders);
			}),
	},
	"header pairs": {
		make: (_, request) => {
			const pairs = times(1_000, (index) => hpack({ [`x-${index}`]: "1" }));
			return [frame(types.headers, 1, Buffer.concat([request, ...pairs]), endHeaders)];
		},
	},
	continuations: {
		make: (_, request) => [
			frame(types.headers, 1, request),
			...times(10_000, () => frame(types.more, 1, hpack({ "x-more": "a".repeat(100) }))),
		],
		outcome: "ends",
	},
	"empty continuations": {
		make: (_, request) => [frame(types.headers, 1, request), ...times(20_000, () => frame(types.more, 1))],
		outcome: "ends",
	},
	"a body without an end": {
		make: (_, request) => [
			frame(types.headers, 1, request, endHeaders),
			frame(types.data, 1, Buffer.from([0, 0, 0xbf, 0xff, 0xff])),
			...times(3, () => frame(types.data, 1, Buffer.alloc(16_384))),
		],
	},
	"bodies without an end": {
		make: (_, request) =>
			times(200, (index) =>
				Buffer.concat([
					frame(types.headers, odd(index), request, endHeaders),
					frame(types.data, odd(index), Buffer.from([0, 0, 0xbf, 0xff, 0xff, ...Array(200).fill(1)])),
				]),
			),
	},
	"empty data": {
		make: (_, request) => [
			frame(types.headers, 1, request, endHeaders),
			...times(20_000, () => frame(types.data, 1)),
		],
	},
	"padded data": {
		make: (_, request) => [
			frame(types.headers, 1, request, endHeaders),
			...times(200, () =>
				frame(types.data, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]), padded),
			),
		],
	},
	"window overflow": {
		make: () => times(2, () => frame(types.window, 0, number(2 ** 31 - 1))),
		outcome: "ends",
	},
	"window updates": { make: () => times(20_000, () => frame(types.window, 0, number(1))) },
	"a window of zero": {
		make: (_, request) => [
			frame(types.settings, 0, setting(initialWindow, 0)),
			...times(200, (index) => frame(types.headers, odd(index), request, endHeaders | endStream)),
		],
	},
	"windows that change": {
		make: (random, request) => [
			...times(200, (index) => frame(types.headers, odd(index), request, endHeaders)),
			...times(500, () => frame(types.settings, 0, setting(initialWindow, random.below(2 ** 31)))),
		],
	},
	"many streams": {
		make: (_, request) => times(1_000, (index) => frame(types.headers, odd(index), request, endHeaders)),
	},
	priorities: {
		make: () => times(10_000, (index) => frame(types.priority, odd(index), Buffer.from([0, 0, 0, 0, 16]))),
	},
	"unknown frames": { make: () => times(10_000, () => frame(0xbb, 0, Buffer.alloc(64))) },
	"go away": { make: () => times(2_000, () => frame(types.goAway, 0, Buffer.alloc(8))) },
	"wrong sizes": {
		make: (random) => [frame(random.pick([types.ping, types.reset, types.window]), 0, Buffer.alloc(3))],
		outcome: "ends",
	},
};

export const http2Kinds = Object.keys(kinds);

/** Returns an attack on the HTTP/2 layer. Its bytes are those of one connection, and end with a PING. */
export function makeHttp2Attack(kind: string, random: Random, token: string): Http2Attack {
	const { make, outcome = "any" } = kinds[kind] ?? {};
	if (!make) throw new Error(`no attack is called ${kind}`);
	const request = hpack({
		...{ ":method": "POST", ":scheme": "http", ":authority": "127.0.0.1" },
		...{ ":path": "/kontekst.AgentService/Run", "content-type": "application/grpc", te: "trailers" },
		authorization: `Bearer ${token}`,
	});
	const bytes = Buffer.concat([preface, ...make(random, request), frame(types.ping, 0, lastPing)]);
	return { kind, bytes, outcome };
}

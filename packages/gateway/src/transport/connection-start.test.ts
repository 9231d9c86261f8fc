import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { connectPair } from "../testing/socket-pair.ts";
import { readFirstBytes } from "./connection-start.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

async function dribble(client: Socket, accepted: Socket, text: string): Promise<void> {
	for (const byte of text) {
		const seen = once(accepted, "readable");
		client.write(byte);
		await seen;
	}
}

async function readRest(client: Socket, accepted: Socket): Promise<string> {
	client.end();
	const chunks = await Array.fromAsync<Buffer>(accepted);
	return Buffer.concat(chunks).toString();
}

test.each([
	[PREFACE, "http2"],
	[`${PREFACE}\0\0\0\x04\0\0\0\0\0`, "http2"],
	["GET / HTTP/1.1\r\n\r\n", "other"],
	["POST / HTTP/1.1\r\n\r\n", "other"],
	["PRI * HTTP/1.1\r\n\r\n", "other"],
	["PRI * HTTP/2.0\r\nHost: x\r\n\r\n", "other"],
	["pri * http/2.0\r\n\r\nsm\r\n\r\n", "other"],
	["\x16\x03\x01", "tls"],
	["\x16", "tls"],
	["\x15\x03\x01", "other"],
	["\r\n", "other"],
	['{"id":1}\n', "other"],
])("%j is recognised in one piece and byte by byte, and returned to the stream", async (text, expected) => {
	await using fast = await connectPair();
	const result = readFirstBytes(fast.accepted, new ManualClock());
	fast.client.write(text);
	expect(await result).toBe(expected);
	expect(await readRest(fast.client, fast.accepted)).toBe(text);

	await using slow = await connectPair();
	const slowResult = readFirstBytes(slow.accepted, new ManualClock());
	await dribble(slow.client, slow.accepted, text.slice(0, PREFACE.length));
	expect(await slowResult).toBe(expected);
	slow.client.write(text.slice(PREFACE.length));
	expect(await readRest(slow.client, slow.accepted)).toBe(text);
});

test.each([...PREFACE].map((_, index) => index))(
	"a preface with an error at byte %i is not HTTP/2",
	async (index) => {
		await using pair = await connectPair();
		const result = readFirstBytes(pair.accepted, new ManualClock());
		const text = `${PREFACE.slice(0, index)}?`;
		await dribble(pair.client, pair.accepted, text);
		expect(await result).toBe("other");
		expect(await readRest(pair.client, pair.accepted)).toBe(text);
	},
);

test.each(["", "P", PREFACE.slice(0, -1)])(
	"after %j and five seconds of silence the detection times out",
	async (text) => {
		await using pair = await connectPair();
		const clock = new ManualClock();
		let verdict: string | undefined = "none yet";
		const result = readFirstBytes(pair.accepted, clock).then((value) => {
			verdict = value;
		});
		await dribble(pair.client, pair.accepted, text);
		clock.advance(4_999);
		await setImmediate();
		expect(verdict).toBe("none yet");
		clock.advance(1);
		await result;
		expect(verdict).toBeUndefined();
	},
);

test.each(["", "PRI * HT"])(
	"the detection ends if the client leaves after %j, and clears its timeout",
	async (text) => {
		await using pair = await connectPair();
		const clock = new ManualClock();
		const result = readFirstBytes(pair.accepted, clock);
		pair.client.end(text);
		expect(await result).toBeUndefined();
		expect(clock.pending).toBe(0);
	},
);

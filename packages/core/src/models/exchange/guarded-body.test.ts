import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { GuardedBody } from "./guarded-body.ts";
import { Watchdog } from "./watchdog.ts";

const limits = { event: 1024, stream: 64 * 1024 };

function bodyOf(chunks: readonly string[], failure?: Error) {
	const clock = new ManualClock();
	const timeouts = { firstByteMs: 1, idleMs: 1, totalMs: 1 };
	const watchdog = new Watchdog(clock, timeouts, () => undefined);
	async function* source(): AsyncGenerator<Uint8Array> {
		for (const chunk of chunks) yield Buffer.from(chunk, "latin1");
		if (failure) throw failure;
	}
	return new GuardedBody(source(), watchdog, limits);
}

async function read(chunks: readonly string[], failure?: Error): Promise<string> {
	const read: Uint8Array[] = [];
	for await (const chunk of bodyOf(chunks, failure)) read.push(chunk);
	return Buffer.concat(read).toString("latin1");
}

const pieces = (text: string, size: number): string[] =>
	Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

/** Returns events that together exceed the limit of one event. */
const stream = (end: string) => `event: a${end}data: ${"x".repeat(90)}${end}${end}`.repeat(20);

test.each([
	["\\n", "\n"],
	["\\r\\n", "\r\n"],
	["\\r", "\r"],
])("many small events pass unchanged at any cut: lines end with %s", async (_name, end) => {
	const text = stream(end);
	for (const size of [1, 2, 3, 7, 100, 2000, text.length]) {
		expect(await read(pieces(text, size))).toBe(text);
	}
});

test.each([
	["one long line", "x".repeat(1100)],
	["a long line after an event", `event: a\ndata: x\n\n${"x".repeat(1100)}`],
	["many lines without a blank one", "data: x\n".repeat(200)],
	["many lines without a blank one, with \\r\\n", "data: x\r\n".repeat(200)],
	["many lines without a blank one, with \\r", "data: x\r".repeat(200)],
])("an event that is too large interrupts the response: %s", async (_name, text) => {
	for (const size of [1, 10, 2000]) {
		await expect(read(pieces(text, size))).rejects.toMatchObject({
			fault: "interrupted",
			message: "an event of the answer is larger than 1 KiB",
		});
	}
});

test("a response that is too large is interrupted", async () => {
	const events = Array.from({ length: 70 }, () => `data: ${"x".repeat(1000)}\n\n`);
	await expect(read(events)).rejects.toMatchObject({
		fault: "interrupted",
		message: "the answer is larger than 64 KiB",
	});
	expect(await read(events.slice(0, 60))).toHaveLength(60 * 1008);
});

test("a lost connection interrupts the response", async () => {
	const cause = new TypeError("terminated");
	await expect(read(["data: x\n\n"], cause)).rejects.toMatchObject({ fault: "interrupted", cause });
});

test("the body ends after all bytes are read, and not before", async () => {
	const body = bodyOf(["a", "b"]);
	for await (const _ of body) expect(body.ended).toBe(false);
	expect(body.ended).toBe(true);
	const left = bodyOf(["a", "b"]);
	for await (const _ of left) break;
	expect(left.ended).toBe(false);
});

test("the source ends if its reader stops", async () => {
	let ended = false;
	async function* source(): AsyncGenerator<Uint8Array> {
		try {
			for (;;) yield Buffer.from("data: x\n\n");
		} finally {
			ended = true;
		}
	}
	const watchdog = new Watchdog(
		new ManualClock(),
		{ firstByteMs: 1, idleMs: 1, totalMs: 1 },
		() => undefined,
	);
	for await (const _ of new GuardedBody(source(), watchdog)) break;
	expect(ended).toBe(true);
});

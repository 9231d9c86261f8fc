import { Writable } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { LineWriter } from "./line-writer.ts";

/** Waits for two turns of the event loop, after which the lines have been written. */
async function turned(): Promise<void> {
	await tick();
	await tick();
}

class SlowPipe extends Writable {
	readonly writes: string[] = [];
	reading: boolean;
	#onWritten: (() => void) | undefined;

	constructor(reading: boolean) {
		super({ decodeStrings: true });
		this.reading = reading;
	}

	get waits(): boolean {
		return this.#onWritten !== undefined;
	}

	/** Makes the reader read the sent bytes, and no further bytes. */
	async accept(): Promise<void> {
		const onWritten = this.#onWritten;
		this.#onWritten = undefined;
		onWritten?.();
		await turned();
	}

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.writes.push(chunk.toString());
		if (this.reading) done();
		else this.#onWritten = done;
	}
}

function writerTo(output: SlowPipe) {
	const clock = new ManualClock();
	let left = 0;
	const writer = new LineWriter({ output, clock, onUnread: () => void left++ });
	return { clock, writer, output, left: () => left };
}

/** Text that is larger than the buffer of the stream. */
const large = "L".repeat(100 * 1024);

test("all lines of a tick are one write, in their order", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	writer.write("a");
	writer.write("b");
	await Promise.resolve();
	writer.write("c");
	expect(output.writes).toEqual([]);
	await turned();
	writer.write("ü😀");
	await turned();
	expect(output.writes).toEqual(["a\nb\nc\n", "ü😀\n"]);
	expect(writer.full).toBe(false);
});

test("commits after the input of a tick are written with it", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	writer.write("a");
	setImmediate(() => writer.write("b"));
	await turned();
	expect(output.writes).toEqual(["a\nb\n"]);
});

test("streamed lines of several turns share a write, and the end of a stream is written with them", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	const lines = Array.from({ length: 100 }, (_, n) => `${n}`);
	for (let at = 0; at < lines.length; at += 5) {
		for (const line of lines.slice(at, at + 5)) writer.write(line);
		await tick();
	}
	expect(output.writes[0]).toBe("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
	for (let turn = 0; turn < 10; turn++) await turned();
	expect(output.writes.join("")).toBe(`${lines.join("\n")}\n`);
	expect(output.writes.length).toBeLessThan(6);
	writer.write("alone");
	await turned();
	expect(output.writes.at(-1)).toBe("alone\n");
});

test("streamed lines are written when no other line arrives or when the time limit is reached", async () => {
	const { writer, output, clock } = writerTo(new SlowPipe(true));
	const say = async (): Promise<void> => {
		for (let n = 0; n < 5; n++) writer.write("x");
		await turned();
	};
	await say();
	expect(output.writes).toHaveLength(1);
	await say();
	expect(output.writes).toHaveLength(1);
	await turned();
	await turned();
	expect(output.writes).toHaveLength(2);
	await say();
	clock.advance(2);
	await say();
	await turned();
	expect(output.writes).toHaveLength(3);
});

test("long lines do not wait for others", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	for (let turn = 1; turn <= 3; turn++) {
		for (let n = 0; n < 5; n++) writer.write("x".repeat(4_000));
		await turned();
		expect(output.writes.join("").length).toBe(turn * 5 * 4_001);
	}
});

test("a flush does not wait for the end of its tick", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	writer.write("a");
	writer.flush();
	expect(output.writes).toEqual(["a\n"]);
	writer.write("b");
	await turned();
	expect(output.writes).toEqual(["a\n", "b\n"]);
});

test("large text is written at once, before more arrives in the same tick", async () => {
	const { writer, output, left } = writerTo(new SlowPipe(true));
	const line = "x".repeat(12 * 1024 * 1024);
	for (let n = 0; n < 8; n++) {
		writer.write(line);
		await writer.drained();
	}
	await turned();
	expect(output.writes.join("")).toBe(`${line}\n`.repeat(8));
	expect(left()).toBe(0);
});

test("lines written in promises of a tick are one write with its first lines", async () => {
	const { writer, output } = writerTo(new SlowPipe(true));
	const later = async (): Promise<void> => {
		for (let hop = 0; hop < 20; hop++) await Promise.resolve();
		writer.write("b");
	};
	setImmediate(() => {
		writer.write("a");
		void later();
	});
	await turned();
	await turned();
	expect(output.writes).toEqual(["a\nb\n"]);
});

test("lines wait while the reader does not read, and are one write afterwards", async () => {
	const { writer, output, clock, left } = writerTo(new SlowPipe(false));
	writer.write(large);
	await turned();
	expect(writer.full).toBe(true);
	let drained = false;
	const waited = writer.drained().then(() => {
		drained = true;
	});
	for (const line of ["a", "b", "c"]) {
		writer.write(line);
		await turned();
	}
	const writesBefore = output.writes.length;
	expect(output.writes.join("")).not.toContain("a");
	expect(drained).toBe(false);
	output.reading = true;
	await output.accept();
	await waited;
	expect(output.writes.join("")).toBe(`${large}\na\nb\nc\n`);
	expect([writesBefore, output.writes.at(-1)]).toEqual([1, "a\nb\nc\n"]);
	expect([writer.full, clock.pending, left()]).toEqual([false, 0, 0]);
});

test("a reader that reads no byte for 30 s is closed once", async () => {
	const { writer, clock, left, output } = writerTo(new SlowPipe(false));
	writer.write(large);
	await turned();
	const waits = writer.drained();
	clock.advance(29_999);
	expect(left()).toBe(0);
	clock.advance(1);
	expect(left()).toBe(1);
	await waits;
	writer.write("never");
	await turned();
	output.destroy();
	await turned();
	expect([left(), output.writes.length, clock.pending]).toEqual([1, 1, 0]);
	expect(await writer.end()).toBe(false);
});

test("a slow reader is not closed, even if one text takes long", async () => {
	const { writer, output, clock, left } = writerTo(new SlowPipe(false));
	const text = `${"ü😀".repeat(300_000)}`;
	writer.write(text);
	await turned();
	writer.write("behind it");
	let parts = 0;
	for (; output.waits; parts++) {
		clock.advance(29_999);
		await output.accept();
	}
	expect(left()).toBe(0);
	expect(parts).toBeGreaterThan(5);
	expect(writer.full).toBe(false);
});

test("a reader of a constant 6 KB per second is not closed", async () => {
	const { writer, output, clock, left } = writerTo(new SlowPipe(false));
	const line = "x".repeat(100);
	for (let count = 0; count < 10_000; count++) writer.write(line);
	await turned();
	let read = 0;
	let seconds = 0;
	while (output.waits) {
		clock.advance(1_000);
		seconds += 1;
		if (seconds * 6_000 < read + (output.writes.at(-1)?.length ?? 0)) continue;
		read += output.writes.at(-1)?.length ?? 0;
		await output.accept();
	}
	expect([left(), read]).toEqual([0, 10_000 * 101]);
});

test("a text that is split into parts is read unchanged", async () => {
	const bytes: Buffer[] = [];
	const output = new Writable({
		write(chunk: Buffer, _encoding, done) {
			bytes.push(chunk);
			setImmediate(done);
		},
	});
	const writer = new LineWriter({ output, clock: new ManualClock(), onUnread: () => undefined });
	const text = "aü😀".repeat(200_000);
	writer.write(text);
	await turned();
	writer.write("next");
	expect(await writer.end()).toBe(true);
	expect(Buffer.concat(bytes).toString()).toBe(`${text}\nnext\n`);
});

test("a reader with more than 64 MiB of queued lines is closed", async () => {
	const { writer, left } = writerTo(new SlowPipe(false));
	writer.write(large);
	await turned();
	const mebibyte = "m".repeat(1024 * 1024 - 1);
	for (let count = 0; count < 64; count++) writer.write(mebibyte);
	expect(left()).toBe(0);
	writer.write("");
	expect(left()).toBe(1);
});

test.each(["error", "close"] as const)("a closed reader is detected by the %s of the stream", async (how) => {
	const { writer, output, left, clock } = writerTo(new SlowPipe(false));
	writer.write(large);
	await turned();
	const ended = writer.end();
	output.destroy(how === "error" ? new Error("EPIPE") : undefined);
	expect(await ended).toBe(false);
	expect([left(), clock.pending]).toEqual([1, 0]);
});

test("the end waits until all text is read", async () => {
	const { writer, output, clock } = writerTo(new SlowPipe(false));
	writer.write("small");
	let ended: boolean | undefined;
	const end = writer.end().then((isComplete) => {
		ended = isComplete;
	});
	await turned();
	expect([output.writes, ended]).toEqual([["small\n"], undefined]);
	output.reading = true;
	await output.accept();
	await end;
	expect([ended, clock.pending]).toEqual([true, 0]);
});

test("the end waits at most 30 s, also for text that fits into the buffer of the stream", async () => {
	const { writer, clock, left } = writerTo(new SlowPipe(false));
	writer.write("small");
	const end = writer.end();
	await turned();
	clock.advance(30_000);
	expect(await end).toBe(false);
	expect(left()).toBe(1);
});

import { Duplex } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type FrameWeight, FrameWriter, WriteBatch } from "./frame-writer.ts";
import { OutgoingAccount } from "./outgoing-account.ts";

class SlowSocket extends Duplex {
	readonly writes: string[] = [];
	#onWritten: (() => void) | undefined;
	#reading: boolean;

	constructor(reading: boolean) {
		super({ decodeStrings: true });
		this.#reading = reading;
	}

	/** Makes the client receive the data in transit. With `reading`, the client continues to read. */
	accept(reading: boolean): void {
		this.#reading = reading;
		const onWritten = this.#onWritten;
		this.#onWritten = undefined;
		onWritten?.();
	}

	override _read(): void {
		// The client never sends data.
	}

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.writes.push(chunk.toString());
		if (this.#reading) done();
		else this.#onWritten = done;
	}
}

function writerTo(
	socket: Duplex,
	budget = { bytes: 1_000_000, frames: 10 },
	account = new OutgoingAccount(),
) {
	const clock = new ManualClock();
	let overflows = 0;
	const onOverflow = (): void => void overflows++;
	const writer = new FrameWriter({ socket, batch: new WriteBatch(), account, clock, budget, onOverflow });
	return {
		clock,
		writer,
		overflows: () => overflows,
		write: (text: string, weight: FrameWeight = "required") => writer.write(Buffer.from(text), weight),
	};
}

/** Text that is larger than `socketShare`, so that later frames wait in the writer. */
const large = "L".repeat(300 * 1024);

test("all frames of a tick are one write, in their order", async () => {
	const socket = new SlowSocket(true);
	const { write } = writerTo(socket);
	write("a");
	write("b", "droppable");
	await Promise.resolve();
	write("c");
	expect(socket.writes).toEqual([]);
	await tick();
	write("d");
	await tick();
	expect(socket.writes).toEqual(["abc", "d"]);
});

test("frames that do not fit into the socket wait, and follow when the reader continues", async () => {
	const socket = new SlowSocket(false);
	const { write } = writerTo(socket);
	write(large);
	await tick();
	write("a");
	await tick();
	write("b");
	await tick();
	expect(socket.writes).toEqual([large]);
	socket.accept(true);
	await tick();
	expect(socket.writes).toEqual([large, "ab"]);
});

test("above its frame limit a reader loses droppable frames only", async () => {
	const socket = new SlowSocket(false);
	const { write, overflows } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 12; n++) write(`d${n} `, "droppable");
	write("kept ");
	write("lost ", "droppable");
	await tick();
	socket.accept(true);
	await tick();
	expect(socket.writes.slice(1).join("")).toBe("d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 kept ");
	expect(overflows()).toBe(0);
	write("again", "droppable");
	await tick();
	expect(socket.writes.at(-1)).toBe("again");
});

test("minor frames are dropped first, while an eighth of the limit is queued", async () => {
	const socket = new SlowSocket(false);
	const { write } = writerTo(socket, { bytes: 8_000_000, frames: 16 });
	write(large);
	await tick();
	write("m1 ", "minor");
	write("d1 ", "droppable");
	write("m2 ", "minor");
	write("d2 ", "droppable");
	socket.accept(true);
	await tick();
	write("m3 ", "minor");
	await tick();
	expect(socket.writes.slice(1)).toEqual(["m1 d1 d2 ", "m3 "]);
});

test("the byte limit includes the data in the socket", async () => {
	const socket = new SlowSocket(false);
	const { write } = writerTo(socket, { bytes: large.length + 10, frames: 1_000 });
	write(large);
	await tick();
	write("0123456789", "droppable");
	write("lost", "droppable");
	socket.accept(true);
	await tick();
	expect(socket.writes.slice(1)).toEqual(["0123456789"]);
});

test("a reader that stays above its limit is closed once after five seconds", async () => {
	const socket = new SlowSocket(false);
	const { write, clock, overflows } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 15; n++) write("x");
	clock.advance(4_999);
	expect(overflows()).toBe(0);
	clock.advance(1);
	expect(overflows()).toBe(1);
	for (let n = 0; n < 50; n++) write("y");
	clock.advance(60_000);
	socket.accept(true);
	await tick();
	expect(overflows()).toBe(1);
	expect(socket.writes).toEqual([large]);
});

test("a reader at twice its limit is closed at once", async () => {
	const socket = new SlowSocket(false);
	const { write, overflows } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 19; n++) write("x");
	expect(overflows()).toBe(0);
	write("x");
	expect(overflows()).toBe(1);
});

test("a reader that continues in time stays connected", async () => {
	const socket = new SlowSocket(false);
	const { write, clock, overflows } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 15; n++) write("x");
	clock.advance(4_000);
	socket.accept(true);
	await tick();
	clock.advance(60_000);
	expect(overflows()).toBe(0);
	expect(clock.pending).toBe(0);
});

test("a reader that is below its limit again stays connected, also while it still reads", async () => {
	const socket = new SlowSocket(false);
	const { write, clock, overflows } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 11; n++) write("x");
	write(large);
	// The client receives the first write, but not the second write with all waiting frames.
	socket.accept(false);
	await tick();
	expect(socket.writes).toHaveLength(2);
	clock.advance(60_000);
	expect(overflows()).toBe(0);
});

test("drained waits for the reader, and ends with it", async () => {
	const socket = new SlowSocket(false);
	const { write, writer } = writerTo(socket);
	await writer.drained();
	write(large);
	await tick();
	let drained = 0;
	const count = (): void => void drained++;
	const waiting = [writer.drained().then(count), writer.drained().then(count)];
	await tick();
	expect(drained).toBe(0);
	socket.accept(true);
	await Promise.all(waiting);
	socket.accept(false);
	write(large);
	await tick();
	const last = writer.drained();
	writer.end();
	await expect(last).resolves.toBeUndefined();
});

test("drained limits the queue of a long replay within one tick", async () => {
	const socket = new SlowSocket(true);
	const { write, writer, overflows } = writerTo(socket);
	for (let page = 0; page < 10; page++) {
		for (let n = 0; n < 8; n++) write(`${page}`);
		await writer.drained();
	}
	await tick();
	expect(overflows()).toBe(0);
	expect(socket.writes.join("")).toBe(Array.from("0123456789", (page) => page.repeat(8)).join(""));
});

test("before a close all queued frames are written to the socket, and none after it", async () => {
	const socket = new SlowSocket(false);
	const { write, writer, clock } = writerTo(socket);
	write(large);
	await tick();
	for (let n = 0; n < 12; n++) write("x");
	writer.finish();
	write("late");
	socket.accept(true);
	await tick();
	expect(socket.writes).toEqual([large, "x".repeat(12)]);
	expect(clock.pending).toBe(0);
});

test("above the total limit the slowest reader is closed, and others continue", async () => {
	const account = new OutgoingAccount(1_000_000);
	const budget = { bytes: 2_000_000, frames: 1_000 };
	const sockets = [new SlowSocket(false), new SlowSocket(false), new SlowSocket(true)];
	const readers = sockets.map((socket) => writerTo(socket, budget, account));
	const overflows = (): number[] => readers.map((each) => each.overflows());
	const [behind, farBehind, there] = readers;
	for (const each of readers) each.write(large);
	await tick();
	expect(account.total).toBe(2 * large.length);
	farBehind?.write(large);
	there?.write(large);
	await tick();
	expect(account.total).toBe(3 * large.length);
	expect(overflows()).toEqual([0, 0, 0]);
	behind?.write("x".repeat(100_000));
	expect(overflows()).toEqual([0, 1, 0]);
	expect(account.total).toBe(large.length + 100_000);
	there?.write("on");
	sockets[0]?.accept(true);
	await tick();
	expect(sockets[0]?.writes).toEqual([large, "x".repeat(100_000)]);
	expect(sockets[2]?.writes).toEqual([large, large, "on"]);
	expect(account.total).toBe(0);
});

test("a disconnected reader is no longer counted", async () => {
	const account = new OutgoingAccount(1_000_000);
	const socket = new SlowSocket(false);
	const { write, writer } = writerTo(socket, { bytes: 2_000_000, frames: 1_000 }, account);
	write(large);
	await tick();
	write(large);
	expect(account.total).toBe(2 * large.length);
	writer.end();
	socket.accept(true);
	await tick();
	expect(account.total).toBe(0);
});

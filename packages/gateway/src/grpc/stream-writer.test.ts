import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { OutgoingAccount } from "../transport/outgoing-account.ts";
import { type CallStatus, StreamWriter } from "./stream-writer.ts";

const kib = 1024;

class SlowCall {
	readonly cancelled = false;
	readonly written: string[] = [];
	readonly #pending: (() => void)[] = [];
	outcome: CallStatus | "OK" | undefined;

	write(message: Buffer, sent: () => void): boolean {
		this.written.push(message.toString("utf8", 0, 2));
		this.#pending.push(sent);
		return true;
	}

	end(): void {
		this.outcome = "OK";
	}

	emit(_event: "error", failure: CallStatus): boolean {
		this.outcome = failure;
		return true;
	}

	read(): void {
		for (let sent = this.#pending.shift(); sent; sent = this.#pending.shift()) sent();
	}
}

/** Opens a writer to a slow client. Messages that begin with `d` may be dropped. */
function open(account = new OutgoingAccount()) {
	const [call, clock] = [new SlowCall(), new ManualClock()];
	const counts = { dropped: 0, overflows: 0 };
	const writer = new StreamWriter<string>({
		call,
		clock,
		account,
		budget: { bytes: 512 * kib, frames: 1_000 },
		encode: (text) => Buffer.from(text.padEnd(100 * kib, ".")),
		mayDrop: (text) => text.startsWith("d"),
		onDropped: () => void counts.dropped++,
		onOverflow: () => void counts.overflows++,
	});
	const write = (...texts: string[]): void => {
		for (const text of texts) writer.write(text);
	};
	return { call, clock, account, counts, writer, write };
}

test("above its byte limit a slow client loses droppable events, and gets all others in order when it reads", () => {
	const { call, account, counts, writer, write } = open();
	write("d1", "d2", "d3", "d4", "d5", "d6", "d7", "r1", "d8", "r2");
	writer.end();
	expect(counts).toEqual({ dropped: 2, overflows: 0 });
	expect(call.written).toEqual(["d1"]);
	expect(account.total).toBe(800 * kib);
	call.read();
	expect(call.written).toEqual(["d1", "d2", "d3", "d4", "d5", "d6", "r1", "r2"]);
	expect(call.outcome).toBe("OK");
	expect(account.total).toBe(0);
});

test("a client that stays above its byte limit for 5 s is too slow, and its queued events are dropped", () => {
	const { call, clock, account, counts, write } = open();
	write("r1", "r2", "r3", "r4", "r5", "r6");
	clock.advance(4_999);
	expect(counts.overflows).toBe(0);
	clock.advance(1);
	expect(counts.overflows).toBe(1);
	expect(call.outcome).toMatchObject({ code: 8 });
	call.read();
	write("r7");
	expect(call.written).toEqual(["r1"]);
	expect([account.total, clock.pending]).toEqual([0, 0]);
});

test("a client that reads in time continues", () => {
	const { call, clock, counts, write } = open();
	write("r1", "r2", "r3", "r4", "r5", "r6");
	call.read();
	clock.advance(10_000);
	expect([counts.overflows, clock.pending]).toEqual([0, 0]);
});

test("a client at twice its limit is too slow at once, and above the total limit the slowest client is", () => {
	const one = open();
	one.write(..."abcefghijkl");
	expect(one.counts.overflows).toBe(1);
	const account = new OutgoingAccount(700 * kib);
	const [first, second] = [open(account), open(account)];
	first.write("r1", "r2", "r3", "r4");
	second.write("r1", "r2", "r3", "r4");
	expect([first.counts.overflows, second.counts.overflows]).toEqual([1, 0]);
});

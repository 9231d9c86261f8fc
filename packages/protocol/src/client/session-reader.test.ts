import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import type { EventFrame } from "../frame.ts";
import { SessionReader } from "./session-reader.ts";

function frame(seq: number): EventFrame {
	return { type: "event", event: "grant.ended", session_id: "s", payload: { seq }, seq };
}

function open() {
	const reported: string[] = [];
	const reader = new SessionReader({
		opened: { session_id: "s", status: "resumed", last_seq: 0 },
		after: 0,
		onClose: () => reported.push("closed"),
		onCaughtUp: () => reported.push("caught up"),
	});
	const events = reader.events()[Symbol.asyncIterator]();
	const receive = (...seqs: readonly number[]) => seqs.map((seq) => reader.receive(frame(seq)));
	return { reader, events, receive, reported };
}

const is = (seq: number) => ({ done: false, value: frame(seq) });
const over = { done: true, value: undefined };

test("a late reader gets all earlier frames in order", async () => {
	const { events, receive, reported } = open();
	expect(receive(1, 2, 2, 1)).toEqual(["kept", "kept", "ignored", "ignored"]);
	const read = [await events.next(), await events.next()];
	const later = events.next();
	receive(3);
	expect([...read, await later]).toEqual([is(1), is(2), is(3)]);
	expect(reported).toEqual([]);
});

test("two calls before the first frame get two frames, in order", async () => {
	const { events, receive } = open();
	const both = [events.next(), events.next()];
	receive(1, 2);
	expect(await Promise.all(both)).toEqual([is(1), is(2)]);
});

test("leaving during a wait closes the session, and no frame follows", async () => {
	const { events, receive, reported } = open();
	const waits = events.next();
	expect(await events.return?.()).toEqual(over);
	expect(await waits).toEqual(over);
	expect(reported).toContain("closed");
	receive(1);
	expect(await events.next()).toEqual(over);
});

test("unread frames are dropped with the session", async () => {
	const { reader, events, receive, reported } = open();
	receive(1, 2);
	expect(await events.next()).toEqual(is(1));
	reader.close();
	expect(await events.next()).toEqual(over);
	expect(reported).toContain("closed");
});

test("an error comes after the frames, once, for all waiting callers, and ends the reads", async () => {
	const lost = new ParleyError("the data is gone", { code: "data_loss" });
	const behind = open();
	behind.receive(1);
	behind.reader.fail(lost);
	expect(await behind.events.next()).toEqual(is(1));
	await expect(behind.events.next()).rejects.toBe(lost);
	expect(behind.reported).toEqual(["closed"]);
	expect(await behind.events.next()).toEqual(over);

	const waiting = open();
	const both = [waiting.events.next(), waiting.events.next()].map((next) => expect(next).rejects.toBe(lost));
	waiting.reader.fail(lost);
	await Promise.all(both);
	expect(await waiting.events.next()).toEqual(over);
});

import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { lost, minute, openCatchUp, ready, stamp } from "../testing/catching-up.ts";
import { ok } from "../testing/scripted-slack.ts";
import type { CatchUp } from "./catch-up.ts";

test("after a silence longer than Slack's retries, messages are read although the connection is open", async () => {
	const { catchUp, port, pass, clock, log, stored } = await openCatchUp();
	catchUp.linked(ready);
	const receivedAt = clock.now();
	catchUp.noteEvent();
	await pass(4 * minute);
	catchUp.noteEvent();
	await pass(5000);
	expect(port.calls).toEqual([]);
	await pass(4 * minute);
	catchUp.noteEvent();
	expect(port.calls).toEqual([]);
	await pass(5000);
	const [since, now] = [receivedAt + 4 * minute, receivedAt + 8 * minute + 5000];
	expect(port.calls.map(({ args }) => [args["oldest"], args["latest"]])).toEqual([
		[stamp(since - 6 * minute), stamp(now)],
	]);
	await pass(minute);
	expect(stored.alive).toBe(now);
	expect(log.records.map(({ level }) => level)).toEqual(["debug"]);
});

test("during a silence, messages are read every quarter of an hour, and at once after a suspicion", async () => {
	const { catchUp, port, pass } = await openCatchUp();
	catchUp.linked(ready);
	await pass(16 * minute);
	expect(port.calls).toHaveLength(0);
	await pass(2 * minute);
	expect(port.calls).toHaveLength(1);
	catchUp.silent();
	await pass(3 * minute);
	expect(port.calls).toHaveLength(1);
	await pass(2 * minute);
	catchUp.silent();
	await pass(5000);
	expect(port.calls).toHaveLength(2);
	catchUp.linked(lost);
	await pass(40 * minute);
	catchUp.noteEvent();
	expect(port.calls).toHaveLength(2);
});

test("after a sleep of the machine missed messages are read, after any first event", async () => {
	const wakes: readonly ((catchUp: CatchUp) => void)[] = [
		() => undefined,
		(catchUp) => catchUp.noteEvent(),
		(catchUp) => {
			catchUp.linked(lost);
			catchUp.linked(ready);
		},
	];
	for (const wake of wakes) {
		const { catchUp, port, pass, clock } = await openCatchUp();
		catchUp.linked(ready);
		catchUp.noteEvent();
		const receivedAt = clock.now();
		const before = clock.now.bind(clock);
		// Moves the time ahead without firing timers, as after a suspension of the process.
		clock.now = () => before() + 8 * 60 * minute;
		wake(catchUp);
		await pass(minute + 5000);
		expect(port.calls).toMatchObject([{ args: { oldest: stamp(receivedAt - 6 * minute) } }]);
	}
});

const sentMessage = (ts: string, more: object = {}) => ({
	event_id: "Ev1",
	event: { type: "message", channel: "D1", user: "UADA", text: "hello", ts, ...more },
});

test("an unhandled message without another delivery is read with its channel, also by the next start", async () => {
	const { catchUp, port, pass, clock, received, stored, places } = await openCatchUp();
	catchUp.linked(ready);
	catchUp.noteEvent();
	const at = clock.now() - 6 * minute;
	port.answer("conversations.history", ok({ messages: [{ ts: stamp(at) }] }));
	expect(catchUp.lost(sentMessage(stamp(at)))).toBe(true);
	expect(
		catchUp.lost({ event: { type: "app_mention", channel: "C1", ts: stamp(at), thread_ts: "1.1" } }),
	).toBe(true);
	await tick();
	expect(stored.alive).toBeLessThan(at);
	await pass(5000);
	expect(port.calls.map(({ args }) => args)).toMatchObject([
		{ channel: "D1", oldest: stamp(at - 1), latest: stamp(at + 6 * minute) },
		{ channel: "C1", ts: "1.1" },
	]);
	expect(received).toMatchObject([{ event_id: `missed:D1-${stamp(at)}` }]);
	expect(places.all).toEqual([
		...[{ channel: "C1", thread: "1.1", us: true }, { channel: "D1", us: true }, { channel: "C1" }],
	]);
	await pass(minute);
	expect(stored.alive).toBe(at + 6 * minute);
});

test("an edit, a reaction or a deletion cannot be read later", async () => {
	const { catchUp, port, pass } = await openCatchUp();
	catchUp.linked(ready);
	const events = [
		sentMessage("1.1", { subtype: "message_changed" }),
		sentMessage("1.1", { subtype: "message_deleted" }),
		sentMessage("1.1", { type: "app_mention", edited: { ts: "2.2" } }),
		...[{ event: { type: "reaction_added" } }, null, sentMessage("1.1", { channel: 7 })],
	];
	for (const body of events) expect(catchUp.lost(body)).toBe(false);
	await pass(5000);
	expect(port.calls).toEqual([]);
});

import { setImmediate as tick } from "node:timers/promises";
import type { ManualClock } from "@parley/base/testing";
import type { RoomProgress } from "@parley/connector";
import { expect, test } from "vitest";
import { lost, minute, openCatchUp, ready, stamp } from "../testing/catching-up.ts";
import { ok, refused } from "../testing/scripted-slack.ts";

test("after a longer absence missed messages are read oldest first, in the form of events", async () => {
	const { catchUp, clock, port, received, pass, places } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "C1", thread: "1.1" }, { channel: "C1" }],
	});
	const now = clock.now();
	const at = (minutes: number): string => stamp(now - minutes * minute);
	const page = [
		{ ts: at(2), text: "two" },
		{ ts: at(5), text: "one" },
	];
	port.answer("conversations.history", ok({ messages: page, response_metadata: { next_cursor: "more" } }));
	port.answer("conversations.history", ok({ messages: [{ ts: at(9), text: "none" }] }));
	port.answer(
		"conversations.replies",
		ok({
			messages: [
				{ ts: "1.1", text: "first" },
				{ ts: at(3), thread_ts: "1.1" },
			],
		}),
	);
	catchUp.linked(ready);
	expect(catchUp.behind).toBe(2);
	await pass(5000);
	const span = { channel: "C1", oldest: at(16), latest: at(0), limit: 100 };
	expect(port.calls).toEqual([
		{ method: "conversations.history", args: span },
		{ method: "conversations.history", args: { ...span, cursor: "more" } },
		{ method: "conversations.replies", args: { ...span, ts: "1.1" } },
	]);
	const done = (ts: string, more: object) => ({
		event_id: `missed:C1-${ts}`,
		event: { type: "message", channel: "C1", ts, ...more },
	});
	expect(received).toEqual([
		...[done(at(9), { text: "none" }), done(at(5), { text: "one" }), done(at(2), { text: "two" })],
		done(at(3), { thread_ts: "1.1" }),
	]);
	expect(catchUp.behind).toBe(0);
	expect(places.all).toHaveLength(2);
});

test("threads that started during the absence, and those of Parley's posts, are read as well", async () => {
	const { catchUp, clock, port, received, pass, places } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "C1", thread: "7.7" }, { channel: "C1" }],
		posted: [
			{ channel: "C2", thread: "1.1" },
			{ channel: "C1", thread: "7.7" },
		],
	});
	const now = clock.now();
	const at = (minutes: number): string => stamp(now - minutes * minute);
	const roots = [
		{ ts: at(3) },
		{ ts: at(5), latest_reply: at(1), thread_ts: at(5) },
		{ ts: at(6), latest_reply: at(2) },
		{ ts: "7.7", latest_reply: at(2) },
		{ ts: at(9), latest_reply: 5 },
	];
	port.answer("conversations.history", ok({ messages: roots }));
	port.answer("conversations.replies", ok({ messages: [] }), ok({ messages: [] }));
	const mention = { ts: at(1), thread_ts: at(5), text: "<@UBOT> hello" };
	port.answer("conversations.replies", ok({ messages: [roots[1], mention] }));
	catchUp.linked(ready);
	await pass(10_000);
	const requests = port.calls.map(({ args }) => [args["channel"], args["ts"], args["oldest"]]);
	expect(requests).toEqual([
		...[
			["C1", undefined, at(16)],
			["C1", "7.7", at(16)],
			["C2", "1.1", at(16)],
		],
		...[
			["C1", at(5), at(16)],
			["C1", at(6), at(16)],
		],
	]);
	expect(received).toContainEqual({
		event_id: `missed:C1-${at(1)}`,
		event: { ...mention, type: "message", channel: "C1" },
	});
	expect(catchUp.behind).toBe(0);
	expect(places.all).toHaveLength(2);
});

test("a limited number of threads is read at once, and further ones are logged", async () => {
	const { catchUp, clock, port, pass, log } = await openCatchUp({ aliveFor: 10 * minute });
	const first = clock.now() - 9 * minute;
	for (let page = 0; page < 3; page++) {
		const messages = Array.from({ length: 50 }, (_, n) => {
			const ts = stamp(first + page * 1000 + n);
			return { ts, latest_reply: ts };
		});
		const next_cursor = page < 2 ? "more" : "";
		port.answer("conversations.history", ok({ messages, response_metadata: { next_cursor } }));
	}
	for (let thread = 0; thread < 101; thread++) port.answer("conversations.replies", ok({ messages: [] }));
	catchUp.linked(ready);
	await pass(4 * minute);
	const read = port.calls.filter(({ method }) => method === "conversations.replies");
	expect(read).toHaveLength(100);
	expect(read[0]?.args["ts"]).toBe(stamp(first + 2049));
	expect(log.records.at(-1)).toMatchObject({ level: "warn", fields: { threads: 50 } });
});

test("a period in which Slack still delivers and a period before the first start are not read", async () => {
	for (const given of [{}, { aliveFor: 4 * minute }]) {
		const { catchUp, port, pass, log } = await openCatchUp(given);
		catchUp.linked(ready);
		catchUp.noteEvent();
		catchUp.linked(lost);
		await pass(3 * minute);
		catchUp.linked(ready);
		await pass(minute);
		expect(port.calls).toEqual([]);
		expect(log.records).toEqual([]);
	}
});

test("events of a longer disconnection are read later, and the time of the last event is stored every minute", async () => {
	const { catchUp, port, pass, stored, clock } = await openCatchUp();
	catchUp.linked(ready);
	await pass(minute / 2);
	const receivedAt = clock.now();
	catchUp.noteEvent();
	await pass(minute);
	expect(stored.alive).toBe(receivedAt);
	catchUp.linked(lost);
	await pass(5 * minute);
	expect(stored.alive).toBe(receivedAt);
	catchUp.linked(ready);
	await pass(5000);
	expect(port.calls).toMatchObject([{ args: { oldest: stamp(receivedAt - 6 * minute) } }]);
});

test("the last attempt of an event that cannot be handled is marked as the last", async () => {
	const { port, pass, clock, catchUp, tries, failures } = await openCatchUp({ aliveFor: 10 * minute });
	const messages = [{ ts: stamp(clock.now() - minute) }];
	for (let time = 0; time < 3; time++) port.answer("conversations.history", ok({ messages }));
	failures.push(new Error("no"), new Error("no"), new Error("no"));
	catchUp.linked(ready);
	await pass(4 * minute);
	expect(tries).toEqual([false, false, true]);
	expect(catchUp.behind).toBe(0);
});

test("the newest messages of a long thread are read, and further ones are logged", async () => {
	const { port, pass, clock, catchUp, received, log } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "C1", thread: "1.1" }],
	});
	const first = clock.now() - 9 * minute;
	for (let page = 0; page < 5; page++) {
		const messages = Array.from({ length: 100 }, (_, n) => ({ ts: stamp(first + page * 100 + n) }));
		const next_cursor = page < 4 ? `page ${page + 1}` : "";
		port.answer("conversations.replies", ok({ messages, response_metadata: { next_cursor } }));
	}
	catchUp.linked(ready);
	await pass(10_000);
	expect(received).toHaveLength(300);
	expect(received.at(-1)).toMatchObject({ event: { ts: stamp(first + 499) } });
	expect(log.records.at(-1)).toMatchObject({ level: "warn", fields: { thread: "1.1", read: 300 } });
});

test("reads follow Slack's rate limit, and a temporarily unreadable channel is retried", async () => {
	const { catchUp, port, pass, received, failures, log, clock } = await openCatchUp({
		aliveFor: 10 * minute,
	});
	const messages = [{ ts: stamp(clock.now() - minute) }];
	port.answer(
		"conversations.history",
		{ type: "rate-limited", retryAfterMs: 30_000 },
		new Error("ECONNRESET"),
	);
	port.answer("conversations.history", ok({ messages }), ok({ messages }));
	failures.push(new Error("Slack did not say who somebody is"));
	catchUp.linked(ready);
	await pass(29_000);
	expect(port.calls).toHaveLength(1);
	await pass(10_000);
	expect(port.calls).toHaveLength(3);
	expect([received, catchUp.behind]).toEqual([[], 1]);
	await pass(70_000);
	expect([received.length, catchUp.behind]).toEqual([1, 0]);
	expect(log.records.map(({ level }) => level)).toEqual(["info", "warn"]);
});

test("a missing channel is forgotten, and one that stays unreadable is abandoned with a log line", async () => {
	const { catchUp, port, pass, places, log } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "C1" }, { channel: "C2" }],
	});
	port.answer("conversations.history", refused("channel_not_found"));
	for (let time = 0; time < 3; time++) port.answer("conversations.history", refused("missing_scope"));
	catchUp.linked(ready);
	await pass(5 * minute);
	expect(places.all).toEqual([{ channel: "C1" }]);
	expect(log.records.at(-1)).toMatchObject({ level: "error", fields: { channel: "C1" } });
	expect(catchUp.behind).toBe(0);
});

test("unread parts are logged: other channels, older days, more pages", async () => {
	const many = Array.from({ length: 52 }, (_, n) => ({ channel: `C${n}` }));
	const { catchUp, port, pass, log, clock } = await openCatchUp({
		aliveFor: 3 * 24 * 60 * minute,
		places: many,
	});
	const oldest = stamp(clock.now() - 24 * 60 * minute);
	for (let page = 0; page < 3; page++) {
		port.answer("conversations.history", ok({ messages: [], response_metadata: { next_cursor: "more" } }));
	}
	catchUp.linked(ready);
	await pass(2 * minute);
	expect(port.calls).toHaveLength(52);
	expect(port.calls[0]?.args).toMatchObject({ channel: "C51", oldest });
	expect(log.records.map(({ message, fields }) => [message, fields])).toEqual([
		[
			"the connector was offline for longer than Slack retries: reading missed messages",
			{ places: 50, minutes: 4320 },
		],
		["some missed messages are not read", { places: 2 }],
		["missed messages that are older than a day are not read", {}],
		["a channel has more missed messages than are read", { channel: "C51", read: 0 }],
	]);
});

test("an interrupted read is completed by the next start", async () => {
	const { catchUp, pass, stored, clock, port } = await openCatchUp({ aliveFor: 10 * minute });
	const aliveAt = clock.now() - 10 * minute;
	catchUp.linked(ready);
	await pass(1000);
	await catchUp.stop();
	expect([stored.alive, port.calls.length, clock.pending]).toEqual([aliveAt, 0, 0]);
});

test("after another absence during the read, it reads once more", async () => {
	const { catchUp, pass, port, clock } = await openCatchUp({ aliveFor: 10 * minute });
	const limited = { type: "rate-limited", retryAfterMs: 2 * minute } as const;
	port.answer("conversations.history", limited, limited, limited);
	catchUp.linked(ready);
	await pass(5000);
	catchUp.linked(lost);
	await pass(5 * minute);
	const back = clock.now();
	catchUp.linked(ready);
	await pass(5 * minute);
	expect(Number(port.calls.at(-1)?.args["latest"])).toBeGreaterThanOrEqual(back / 1000);
});

test("a stop during the search for own posts logs no failure", async () => {
	const posted = Promise.withResolvers<readonly []>();
	const { catchUp, log } = await openCatchUp({ aliveFor: 10 * minute, posted: posted.promise });
	catchUp.linked(ready);
	await catchUp.stop();
	posted.reject(new Error("the database is closed"));
	for (let turn = 0; turn < 10; turn++) await tick();
	expect(log.records.map(({ level }) => level)).toEqual(["info"]);
});

function progressOf(clock: ManualClock, channel: string, minutes: number): RoomProgress {
	const room = { tenant: "T1", channel, shared: false, kind: "direct" } as const;
	const at = clock.now() - minutes * minute;
	return { room, messages: [`${channel}-${stamp(at)}`], usedAt: at };
}

test("without a database, the messages that the gateway does not have are read once, up to a day old", async () => {
	const { catchUp, pass, port, clock, received, stored, places, log } = await openCatchUp({ places: [] });
	const [now, rooms] = [clock.now(), [progressOf(clock, "D1", 7), progressOf(clock, "D2", 3 * 24 * 60)]];
	port.answer("conversations.history", ok({ messages: [{ ts: stamp(now - 5 * minute) }] }));
	catchUp.linked(ready);
	const begun = catchUp.begin(async () => rooms);
	while (catchUp.behind === 0) await tick();
	await pass(1200);
	expect([stored.begun, catchUp.behind]).toEqual([undefined, 1]);
	await pass(1200);
	await begun;
	expect(port.calls.map(({ args }) => [args["channel"], args["oldest"], args["latest"]])).toEqual([
		["D1", stamp(now - 7 * minute), stamp(now)],
		["D2", stamp(now - 24 * 60 * minute), stamp(now)],
	]);
	expect(received).toMatchObject([{ event_id: `missed:D1-${stamp(now - 5 * minute)}` }]);
	expect(places.all).toEqual([
		{ channel: "D1", us: true },
		{ channel: "D2", us: true },
	]);
	expect([stored.begun, log.records.map(({ level }) => level)]).toEqual([true, ["info", "warn"]]);
	await catchUp.begin(async () => Promise.reject(new Error("it is not asked again")));
});

test("messages that the gateway does not have are read after missed ones, and again after an interruption", async () => {
	const { catchUp, pass, port, clock, stored } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "C1" }],
	});
	catchUp.linked(ready);
	const begun = catchUp.begin(async () => [progressOf(clock, "D1", 20)]);
	await pass(1200);
	expect([port.calls.map(({ args }) => args["channel"]), catchUp.behind]).toEqual([["C1"], 1]);
	await catchUp.stop();
	await begun;
	expect([stored.begun, port.calls.length]).toEqual([undefined, 1]);
});

test("for a gateway without channels, no channel is read", async () => {
	const { catchUp, stored, port, log } = await openCatchUp({ places: [] });
	catchUp.linked(ready);
	await catchUp.begin(async () => []);
	expect([stored.begun, port.calls, log.records]).toEqual([true, [], []]);
});

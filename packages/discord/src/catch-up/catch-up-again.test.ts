import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import type { DiscordResponse } from "../vocabulary/discord-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { CatchUp } from "./catch-up.ts";
import type { ReceivedEvent } from "./event-receiver.ts";
import { type Cursor, HighWater } from "./high-water.ts";

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const messages = "GET /channels/1/messages";
const opening = "POST /users/@me/channels";

async function place(known: { cursor?: (ago: (minutes: number) => string) => Cursor; alive?: number } = {}) {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const start = clock.now();
	const ago = (minutes: number): string => snowflakeAt(start - minutes * 60_000);
	const { cursor, alive } = known;
	const store = { load: async () => (cursor ? { "1": cursor(ago) } : {}), save: async () => undefined };
	const highWater = await HighWater.open({ store, clock, log });
	const received: ReceivedEvent[] = [];
	const catchUp = new CatchUp({
		...{ port, highWater, clock, log },
		people: async (marked) => (marked.has("77") ? ["52"] : ["51", "52"]),
		alive: { since: alive === undefined ? undefined : ago(alive) },
		receive: async (event) => void received.push(event),
	});
	const wrote = (minutes: number, channel = "1") => ({
		...{ id: ago(minutes), channel_id: channel, author: { id: "5", bot: true } },
	});
	const page = (...minutes: number[]) => ({ body: minutes.map((each) => wrote(each)) });
	const live = (minutes: number) => catchUp.dispatch({ t: "MESSAGE_CREATE", d: wrote(minutes) });
	const seen = (): number[] => {
		const ids = new Map(Array.from({ length: 60 }, (_, minutes) => [ago(minutes), minutes]));
		return received.flatMap(({ d }) => ids.get((d as { id: string }).id) ?? []);
	};
	const pass = async (minutes: number): Promise<void> => {
		for (let part = 0; part < minutes * 6; part++) {
			await settled();
			clock.advance(10_000);
		}
		await settled();
	};
	return { clock, log, port, highWater, catchUp, received, ago, wrote, page, live, seen, pass };
}

const marked = (ago: (minutes: number) => string): Cursor => ({ message: ago(9) });

test("an event of a new session is handled after earlier messages, although an older session is still being read", async () => {
	const { port, catchUp, page, live, seen } = await place({ cursor: marked });
	const slow = Promise.withResolvers<Partial<DiscordResponse>>();
	const second = Promise.withResolvers<Partial<DiscordResponse>>();
	port.answer(messages, () => slow.promise);
	port.answer(messages, () => second.promise);
	catchUp.begin();
	const old = live(7);
	await settled();
	catchUp.begin();
	const fresh = live(1);
	slow.resolve(page(9, 8));
	await settled();
	expect(seen()).toEqual([8]);
	second.resolve(page(9, 8, 7, 2));
	await Promise.all([old, fresh]);
	expect(await catchUp.idle()).toBe(true);
	expect(seen()).toEqual([8, 8, 7, 2, 7, 1]);
});

test("a channel without a cursor is read again when another session begins, and waiting events continue", async () => {
	const { port, catchUp, ago, page, live, seen } = await place();
	const slow = Promise.withResolvers<Partial<DiscordResponse>>();
	port.answer(messages, () => slow.promise, page(9, 8, 2));
	const read = catchUp.read([["1", { message: ago(9) }]]);
	await settled();
	catchUp.begin();
	const fresh = live(1);
	slow.resolve(page(9, 8));
	await Promise.all([read, fresh]);
	expect(seen()).toEqual([8, 8, 2, 1]);
});

test("a pending channel is read without the events that wait for it", async () => {
	const { port, catchUp, page, live, seen } = await place({
		cursor: (ago) => ({ message: ago(5), unread: ago(9) }),
	});
	const slow = Promise.withResolvers<Partial<DiscordResponse>>();
	const second = Promise.withResolvers<Partial<DiscordResponse>>();
	port.answer(messages, () => slow.promise);
	port.answer(messages, () => second.promise);
	catchUp.resumed();
	await settled();
	await live(4);
	catchUp.begin();
	const fresh = [live(1)];
	slow.resolve(page(9, 8, 5));
	await settled();
	fresh.push(live(0));
	second.resolve(page(9, 8, 5, 2));
	await Promise.all(fresh);
	expect(seen()).toEqual([4, 8, 5, 8, 5, 2, 1, 0]);
});

test("a server whose data arrived in a lost session is not known in the next one", async () => {
	const { port, catchUp, ago, page } = await place({ alive: 5 });
	const slow = Promise.withResolvers<Partial<DiscordResponse>>();
	port.answer(messages, () => slow.promise, page());
	port.answer(opening, { body: {} }, { body: {} });
	const d = { id: "7", threads: [{ id: "1", last_message_id: ago(1) }] };
	const old = catchUp.dispatch({ t: "GUILD_CREATE", d });
	await settled();
	catchUp.begin();
	const ready = catchUp.dispatch({ t: "READY", d: { guilds: [{ id: "7" }] } });
	slow.resolve(page());
	await Promise.all([old, ready]);
	expect(catchUp.isDone).toBe(false);
	await catchUp.dispatch({ t: "GUILD_CREATE", d: { id: "7" } });
	expect(catchUp.isDone).toBe(true);
});

test("direct messages that cannot be checked are checked again, and the connector is unhealthy until then", async () => {
	const { clock, port, catchUp, ago, seen, wrote, pass } = await place({ alive: 5 });
	port.answer(opening, { body: {} }, { status: 503 }, { status: 429 });
	port.answer(opening, { body: { id: "77", last_message_id: ago(1) } });
	port.answer("GET /channels/77/messages", { body: [wrote(1, "77"), wrote(6, "77")] });
	catchUp.begin();
	const ready = catchUp.dispatch({ t: "READY", d: { guilds: [] } });
	const done: string[] = [];
	void ready.then(() => done.push("ready"));
	await pass(4);
	expect([port.requests.length, catchUp.isDone, done]).toEqual([2, false, []]);
	await pass(4);
	expect([port.requests.length, catchUp.isDone, done]).toEqual([3, false, []]);
	await pass(15);
	expect(port.requests.map(({ body }) => body).slice(2)).toEqual([
		...[{ recipient_id: "52" }, { recipient_id: "52" }],
		undefined,
	]);
	expect([seen(), catchUp.isDone, done]).toEqual([[1], true, ["ready"]]);
	expect(clock.pending).toBe(0);
});

test("further lost sessions do not open direct messages again, and none are forgotten", async () => {
	const { port, highWater, catchUp, ago, pass, wrote, seen } = await place({ alive: 5 });
	port.answer(opening, { status: 503 }, { status: 503 });
	catchUp.begin();
	await catchUp.idle();
	// The cursor of a later message does not show that earlier messages were read.
	await highWater.passed("77", { message: ago(1) });
	port.answer("GET /channels/77/messages", { body: [] });
	catchUp.begin();
	await catchUp.idle();
	expect(port.requestLines.filter((request) => request === opening)).toHaveLength(2);
	port.answer(opening, { body: { id: "77", last_message_id: ago(1) } }, { body: {} });
	port.answer("GET /channels/77/messages", { body: [wrote(1, "77"), wrote(2, "77"), wrote(6, "77")] });
	await pass(15);
	expect(port.requestLines.filter((request) => request === opening)).toHaveLength(4);
	expect([seen(), catchUp.isDone]).toEqual([[2, 1], true]);
});

test("a session with unchecked direct messages cannot be resumed", async () => {
	const { clock, port, catchUp } = await place({ alive: 5 });
	port.answer(opening, { status: 503 });
	catchUp.begin();
	const ready = catchUp.dispatch({ t: "READY", d: { guilds: [] } });
	const refused = expect(ready).rejects.toMatchObject({ code: "cancelled" });
	await settled();
	await catchUp.stop();
	await refused;
	expect(clock.pending).toBe(0);
});

test("a server that removed the bot is no longer read, and an unavailable one is", async () => {
	const { catchUp, received } = await place();
	await catchUp.dispatch({ t: "READY", d: { guilds: [{ id: "7" }, { id: "8" }] } });
	await catchUp.dispatch({ t: "GUILD_CREATE", d: { id: "7" } });
	await catchUp.dispatch({ t: "GUILD_DELETE", d: { id: "8", unavailable: true } });
	expect(catchUp.isDone).toBe(false);
	await catchUp.dispatch({ t: "GUILD_DELETE", d: { id: "8" } });
	expect(catchUp.isDone).toBe(true);
	expect(received.map(({ t }) => t)).toEqual(["GUILD_CREATE", "GUILD_DELETE", "GUILD_DELETE"]);
});

test("messages from before the first complete start may have an answer, also in channels that are still unread", async () => {
	const { port, highWater, catchUp, ago, page, live, received, pass } = await place();
	const away = Array.from({ length: 5 }, () => ({ status: 503 }));
	port.answer(messages, ...away, page(9, 8, 1));
	const read = catchUp.read([["1", { message: ago(9) }]]);
	const fresh = live(1);
	await pass(1);
	await Promise.all([read, fresh]);
	await highWater.passed("1", { message: ago(1) });
	expect(received.map(({ seenBefore = false }) => seenBefore)).toEqual([false]);
	expect(highWater.behind).toEqual([["1", { message: ago(1), unread: ago(9), seenBefore: true }]]);
	await pass(3);
	expect(received.map(({ seenBefore = false }) => seenBefore)).toEqual([false, true, true]);
	expect([...highWater.cursors]).toEqual([["1", { message: ago(1) }]]);
});

test("messages that are read later after a complete start have no answer", async () => {
	const { port, catchUp, page, received } = await place({ cursor: marked, alive: 9 });
	port.answer(messages, page(9, 8));
	port.answer(opening, { body: {} }, { body: {} });
	catchUp.begin();
	await catchUp.idle();
	expect(received).toHaveLength(1);
	expect(received[0]).not.toHaveProperty("seenBefore");
});

import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import type { DiscordDispatch } from "../vocabulary/discord-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { CatchUp } from "./catch-up.ts";
import { type Cursors, HighWater } from "./high-water.ts";

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function ago(clock: ManualClock, minutes: number): string {
	return snowflakeAt(clock.now() - minutes * 60_000);
}

function wrote(id: string, author: object = { id: "5", bot: true }): object {
	return { id: newer(id), channel_id: "1", author };
}

/** Prefix that makes the ids of `newer` higher than the initial cursors. */
const prefix = "1999";

function newer(end: string): string {
	return `${prefix}${end.padStart(15, "0")}`;
}

interface Known {
	/** Minutes since the connection last worked. Undefined if no time is stored. */
	readonly alive?: number;
	readonly people?: readonly string[];
}

async function place(cursors: (clock: ManualClock) => Cursors, { alive: minutes, people = [] }: Known = {}) {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const store = { load: async () => cursors(clock), save: async () => undefined };
	const highWater = await HighWater.open({ store, clock, log });
	const received: DiscordDispatch[] = [];
	const catchUp = new CatchUp({
		...{ port, highWater, clock, log, people: async () => people },
		alive: { since: minutes === undefined ? undefined : ago(clock, minutes) },
		receive: async (event) => void received.push(event),
	});
	const pages = (channel: string, ...bodies: readonly object[][]) =>
		port.answer(`GET /channels/${channel}/messages`, ...bodies.map((body) => ({ body })));
	// Each event in these tests has an id.
	const ids = () => received.map(({ d }) => (d as { id: string }).id.replace(/^19990*/, ""));
	const durable: string[] = [];
	const live = (t: string, channel: string, id: string) => {
		const dispatched = catchUp.dispatch({ t, d: { id, channel_id: channel } });
		void dispatched.then(() => durable.push(id));
	};
	return { clock, log, port, highWater, catchUp, received, pages, ids, live, durable };
}

test("missed messages are handled oldest first, before newer events", async () => {
	const { clock, port, catchUp, pages, ids, live, durable } = await place((at) => ({
		"1": { message: ago(at, 9) },
	}));
	const known = { ...wrote("1"), id: ago(clock, 9) };
	pages("1", [wrote("30"), wrote("20"), wrote("10"), known]);
	catchUp.begin();
	live("MESSAGE_CREATE", "1", "40");
	live("MESSAGE_UPDATE", "1", "41");
	expect(ids()).toEqual([]);
	expect(await catchUp.idle()).toBe(true);
	expect(ids()).toEqual(["10", "20", "30", "40", "41"]);
	await settled();
	expect(durable).toEqual(["40", "41"]);
	expect(port.requests).toEqual([{ method: "GET", path: "/channels/1/messages", query: { limit: "100" } }]);
	live("MESSAGE_CREATE", "1", "50");
	expect(ids().at(-1)).toBe("50");
});

test("presses, and channels that are not read later, do not wait", async () => {
	const { catchUp, pages, ids, live } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	pages("1", []);
	catchUp.begin();
	live("INTERACTION_CREATE", "1", "press");
	live("MESSAGE_CREATE", "2", "elsewhere");
	expect(ids()).toEqual(["press", "elsewhere"]);
	await catchUp.idle();
});

test("a first start reads nothing, and a message of a guild gets the author data of an event", async () => {
	const fresh = await place(() => ({}));
	fresh.catchUp.begin();
	expect(await fresh.catchUp.idle()).toBe(true);
	expect(fresh.port.requests).toEqual([]);

	const known = await place((at) => ({ "1": { message: ago(at, 9), guild: "7" } }));
	known.pages("1", [wrote("10", { id: "5" }), wrote("20", { id: "5" }), wrote("30", { id: "6" })]);
	known.port.answer("GET /guilds/7/members/5", { body: { roles: ["8"], nick: "Ada" } });
	known.port.answer("GET /guilds/7/members/6", { status: 404 });
	known.catchUp.begin();
	await known.catchUp.idle();
	expect(known.received.map(({ t, d }) => [t, d])).toMatchObject([
		["MESSAGE_CREATE", { id: newer("10"), guild_id: "7", member: { roles: ["8"], nick: "Ada" } }],
		["MESSAGE_CREATE", { id: newer("20"), guild_id: "7", member: { roles: ["8"] } }],
		["MESSAGE_CREATE", { id: newer("30"), guild_id: "7" }],
	]);
	expect(known.port.requestLines.filter((request) => request.includes("members"))).toHaveLength(2);
});

test("the newest two hundred messages are read, and further ones are logged", async () => {
	const { log, port, catchUp, pages, ids } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	const page = (from: number) => Array.from({ length: 100 }, (_, index) => wrote(String(from + index)));
	pages("1", page(1200), page(1100), page(1000));
	catchUp.begin();
	await catchUp.idle();
	expect(ids()).toHaveLength(200);
	expect([ids()[0], ids().at(-1)]).toEqual(["1100", "1299"]);
	expect(port.requests.map(({ query }) => query)).toEqual([
		{ limit: "100" },
		{ limit: "100", before: newer("1200") },
	]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { channel: "1", read: 200 } }]);
});

test("messages older than a day are not read", async () => {
	const { clock, log, catchUp, pages, received } = await place((at) => ({ "1": { message: ago(at, 3000) } }));
	const [before, after] = [1441, 1439].map((minutes) => ({ ...wrote("1"), id: ago(clock, minutes) }));
	pages("1", [after ?? {}, before ?? {}]);
	catchUp.begin();
	await catchUp.idle();
	expect(received.map(({ d }) => d)).toEqual([after]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { channel: "1" } }]);
});

async function pass(clock: ManualClock, seconds: number): Promise<void> {
	for (let second = 0; second < seconds; second++) {
		await settled();
		clock.advance(1000);
	}
	await settled();
}

test("a missing channel is forgotten, and one with a rate limit is read after it", async () => {
	const { clock, log, port, highWater, catchUp, ids } = await place((at) => ({
		...{ "1": { message: ago(at, 9) }, "2": { message: ago(at, 9) } },
	}));
	port.answer("GET /channels/1/messages", { status: 404 });
	port.answer("GET /channels/2/messages", { status: 429, body: { retry_after: 3 } }, { body: [wrote("20")] });
	catchUp.begin();
	await pass(clock, 4);
	expect(await catchUp.idle()).toBe(true);
	expect(ids()).toEqual(["20"]);
	expect([...highWater.cursors.keys()]).toEqual(["2"]);
	expect(log.records).toEqual([]);
});

test("an unreadable channel is pending while its events continue, until it is read", async () => {
	const { clock, log, port, highWater, catchUp, ids, live } = await place(
		(at) => ({ "3": { message: ago(at, 9) } }),
		{ alive: 9 },
	);
	const unread = ago(clock, 9);
	const away = Array.from({ length: 10 }, () => ({ status: 503 }));
	port.answer("GET /channels/3/messages", ...away, { body: [wrote("30"), wrote("20")] });
	catchUp.begin();
	live("MESSAGE_CREATE", "3", "30");
	await pass(clock, 15);
	expect(await catchUp.idle()).toBe(true);
	expect(ids()).toEqual(["30"]);
	// The event receiver calls `passed` when a message is durable.
	await highWater.passed("3", { message: newer("30") });
	expect(highWater.behind).toEqual([["3", { message: newer("30"), unread }]]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { channel: "3" } }]);
	await pass(clock, 60 + 15);
	expect(log.records).toHaveLength(2);
	live("MESSAGE_CREATE", "3", "40");
	expect(ids()).toEqual(["30", "40"]);
	// The second wait is twice as long as the first.
	await pass(clock, 119);
	expect(port.requestLines).toHaveLength(10);
	await pass(clock, 2);
	expect(ids()).toEqual(["30", "40", "20", "30"]);
	expect(highWater.behind).toEqual([]);
	expect(clock.pending).toBe(1);
});

test("a channel that an earlier process could not read is read when the session resumes", async () => {
	const { clock, catchUp, pages, ids } = await place((at) => ({
		...{ "1": { message: ago(at, 1), unread: ago(at, 9) }, "2": { message: ago(at, 9) } },
	}));
	pages("1", [
		{ ...wrote("1"), id: ago(clock, 1) },
		{ ...wrote("1"), id: ago(clock, 5) },
	]);
	catchUp.resumed();
	await catchUp.idle();
	expect(ids()).toEqual([ago(clock, 5), ago(clock, 1)]);
});

test("unknown channels are read if they have messages since the connector was last healthy", async () => {
	const { clock, port, catchUp, pages, ids, live, durable } = await place(
		(at) => ({ "1": { message: ago(at, 9), guild: "7" } }),
		{ alive: 5 },
	);
	const wroteIn = (id: string, minutes: number) => ({ id, last_message_id: ago(clock, minutes) });
	const channels = [wroteIn("1", 1), wroteIn("2", 6), { id: "3", last_message_id: null }, wroteIn("4", 2)];
	pages("1", []);
	pages("4", [wrote("40")]);
	pages("5", [wrote("50")]);
	catchUp.begin();
	const ready = catchUp.dispatch({ t: "READY", d: { guilds: [{ id: "7" }, { id: "8" }] } });
	await ready;
	const guild = { id: "7", channels, threads: [wroteIn("5", 1), "nonsense"] };
	const done = catchUp.dispatch({ t: "GUILD_CREATE", d: guild });
	live("MESSAGE_CREATE", "5", "60");
	expect(durable).toEqual([]);
	await done;
	expect(ids().toSorted()).toEqual(["40", "50", "60", "7"]);
	expect(ids().indexOf("50")).toBeLessThan(ids().indexOf("60"));
	const read = port.requestLines.filter((request) => request.endsWith("/messages"));
	expect(read.toSorted()).toEqual(["1", "4", "5"].map((channel) => `GET /channels/${channel}/messages`));
	expect(catchUp.isDone).toBe(false);
	await catchUp.dispatch({ t: "GUILD_CREATE", d: { id: "8", channels: [], threads: [] } });
	expect(catchUp.isDone).toBe(true);
});

test("a hundred unknown channels of a server are read, the newest ones, and further ones are logged", async () => {
	const { clock, log, port, catchUp } = await place(() => ({}), { alive: 200 });
	const threads = Array.from({ length: 101 }, (_, at) => ({
		id: `${at}`,
		last_message_id: ago(clock, 150 - at),
	}));
	for (const { id } of threads) port.answer(`GET /channels/${id}/messages`, { body: [] });
	await catchUp.dispatch({ t: "GUILD_CREATE", d: { id: "7", threads } });
	expect(port.requestLines).toHaveLength(100);
	expect(port.requestLines).not.toContain("GET /channels/0/messages");
	expect(log.records).toMatchObject([{ level: "warn", fields: { guild: "7", places: 101, read: 100 } }]);
});

test("direct messages of known people are opened, at most twenty at once, and read if they have new messages", async () => {
	const people = Array.from({ length: 25 }, (_, at) => `${100 + at}`);
	const { clock, log, port, catchUp, pages, ids } = await place((at) => ({ "1": { message: ago(at, 9) } }), {
		alive: 5,
		people,
	});
	pages("1", []);
	const opened = (id: string, minutes: number) => ({ body: { id, last_message_id: ago(clock, minutes) } });
	const answers = [opened("1", 1), opened("2", 1), opened("3", 8), { status: 403 }, new Error("no answer")];
	port.answer("POST /users/@me/channels", ...answers);
	pages("2", [wrote("20")]);
	catchUp.begin();
	expect(await catchUp.idle()).toBe(true);
	expect(ids()).toEqual(["20"]);
	const opening = port.requests.filter(({ method }) => method === "POST");
	expect(opening.map(({ body }) => body)).toEqual(people.slice(0, 20).map((id) => ({ recipient_id: id })));
	expect(port.requestLines.filter((request) => request.endsWith("/messages"))).toEqual([
		"GET /channels/1/messages",
		"GET /channels/2/messages",
	]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { people: 1 } }]);

	port.answer("POST /users/@me/channels", ...Array.from({ length: 6 }, (_, at) => opened(`${50 + at}`, 8)));
	clock.advance(5 * 60_000);
	await settled();
	const openedLater = port.requests.filter(({ method }) => method === "POST").slice(20);
	expect(openedLater.map(({ body }) => body)).toEqual(
		[...people.slice(20), "104"].map((id) => ({ recipient_id: id })),
	);
});

test("a guild stays unknown until its missed messages are read", async () => {
	const { clock, port, catchUp } = await place(() => ({}), { alive: 5 });
	port.answer("GET /channels/5/messages", { status: 503 });
	const threads = [{ id: "5", last_message_id: ago(clock, 1) }];
	const done = catchUp.dispatch({ t: "GUILD_CREATE", d: { id: "7", threads } });
	const refused = expect(done).rejects.toMatchObject({ code: "cancelled" });
	await settled();
	await catchUp.stop();
	await refused;
});

test("an interrupted read leaves its events unhandled, and reports it", async () => {
	const { port, catchUp, ids, live, durable } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	port.answer("GET /channels/1/messages", { status: 503 });
	catchUp.begin();
	live("MESSAGE_CREATE", "1", "10");
	await settled();
	await catchUp.stop();
	expect(await catchUp.idle()).toBe(false);
	expect([ids(), durable]).toEqual([[], []]);
});

test("more than five hundred events of a channel do not wait", async () => {
	const { port, highWater, catchUp, ids, live } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	port.answer("GET /channels/1/messages", { status: 503 });
	catchUp.begin();
	for (let id = 1; id <= 501; id++) live("MESSAGE_CREATE", "1", String(id));
	live("MESSAGE_CREATE", "1", "502");
	expect(ids()).toHaveLength(502);
	expect(highWater.behind).toHaveLength(1);
	await catchUp.stop();
});

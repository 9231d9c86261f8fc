import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { DiscordDispatch } from "../discord-port.ts";
import { snowflakeAt } from "../snowflake.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { CatchUp } from "./catch-up.ts";
import { HighWater, type Marks } from "./high-water.ts";

/** When all that needs no clock has happened. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The id of a message of so many minutes ago. */
function ago(clock: ManualClock, minutes: number): string {
	return snowflakeAt(clock.now() - minutes * 60_000);
}

function wrote(id: string, author: object = { id: "5", bot: true }): object {
	return { id: newer(id), channel_id: "1", author };
}

/** All that is written in these tests is newer than every mark: the beginning of an id, and its end. */
const prefix = "1999";

function newer(end: string): string {
	return `${prefix}${end.padStart(15, "0")}`;
}

async function place(marks: (clock: ManualClock) => Marks) {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const store = { load: async () => marks(clock), save: async () => undefined };
	const highWater = await HighWater.open({ store, clock, log });
	const taken: DiscordDispatch[] = [];
	const catchUp = new CatchUp({ port, highWater, clock, log, take: async (event) => void taken.push(event) });
	const pages = (channel: string, ...bodies: readonly object[][]) =>
		port.answer(`GET /channels/${channel}/messages`, ...bodies.map((body) => ({ body })));
	// Each event of these tests has an id.
	const ids = () => taken.map(({ d }) => (d as { id: string }).id.replace(/^19990*/, ""));
	/** What has happened meanwhile and is durably taken. */
	const durable: string[] = [];
	const live = (t: string, channel: string, id: string) => {
		const dispatched = catchUp.dispatch({ t, d: { id, channel_id: channel } });
		void dispatched.then(() => durable.push(id));
	};
	return { clock, log, port, highWater, catchUp, taken, pages, ids, live, durable };
}

test("what was missed comes oldest first, before what happens meanwhile", async () => {
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

test("presses, and channels that are not read afterwards, wait for nothing", async () => {
	const { catchUp, pages, ids, live } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	pages("1", []);
	catchUp.begin();
	live("INTERACTION_CREATE", "1", "press");
	live("MESSAGE_CREATE", "2", "elsewhere");
	expect(ids()).toEqual(["press", "elsewhere"]);
	await catchUp.idle();
});

test("a first start reads nothing, and a message of a guild gets what an event would say of its author", async () => {
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
	expect(known.taken.map(({ t, d }) => [t, d])).toMatchObject([
		["MESSAGE_CREATE", { id: newer("10"), guild_id: "7", member: { roles: ["8"], nick: "Ada" } }],
		["MESSAGE_CREATE", { id: newer("20"), guild_id: "7", member: { roles: ["8"] } }],
		["MESSAGE_CREATE", { id: newer("30"), guild_id: "7" }],
	]);
	expect(known.port.asked.filter((asked) => asked.includes("members"))).toHaveLength(2);
});

test("the newest two hundred messages are read, and it is told where there are more", async () => {
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

test("nothing is read that is older than a day", async () => {
	const { clock, catchUp, pages, taken } = await place((at) => ({ "1": { message: ago(at, 3000) } }));
	const [before, after] = [1441, 1439].map((minutes) => ({ ...wrote("1"), id: ago(clock, minutes) }));
	pages("1", [after ?? {}, before ?? {}]);
	catchUp.begin();
	await catchUp.idle();
	expect(taken.map(({ d }) => d)).toEqual([after]);
});

test("a channel that is gone is forgotten; one that cannot be read for a while is tried again, then left", async () => {
	const { clock, log, port, highWater, catchUp, ids, live } = await place((at) => ({
		...{ "1": { message: ago(at, 9) }, "2": { message: ago(at, 9) }, "3": { message: ago(at, 9) } },
	}));
	port.answer("GET /channels/1/messages", { status: 404 });
	port.answer("GET /channels/2/messages", { status: 429, body: { retry_after: 3 } }, { body: [wrote("20")] });
	const away = { status: 503 };
	port.answer("GET /channels/3/messages", away, away, new Error("no answer"), away, away);
	catchUp.begin();
	live("MESSAGE_CREATE", "3", "30");
	for (let second = 0; second < 15; second++) {
		await settled();
		clock.advance(1000);
	}
	expect(await catchUp.idle()).toBe(true);
	expect(ids()).toEqual(["20", "30"]);
	expect([...highWater.marks.keys()]).toEqual(["2", "3"]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { channel: "3" } }]);
});

test("where reading is cut short, what waited stays untaken and is known to be", async () => {
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
	const { port, catchUp, ids, live } = await place((at) => ({ "1": { message: ago(at, 9) } }));
	port.answer("GET /channels/1/messages", { status: 503 });
	catchUp.begin();
	for (let id = 1; id <= 501; id++) live("MESSAGE_CREATE", "1", String(id));
	live("MESSAGE_CREATE", "1", "502");
	expect(ids()).toHaveLength(502);
	await catchUp.stop();
});

import { silentLogger } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { MemoryNames } from "../testing/memory-names.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { Caller } from "./caller.ts";
import { RateLimits } from "./rate-limits.ts";
import { ThreadTitles } from "./thread-names.ts";

const read = "GET /channels/5";
const write = "PATCH /channels/5";
const row = {
	id: "1",
	nonce: "n",
	conversation: "5#title",
	lane: "progress",
	payload: {},
	at: 0,
	attempt: 1,
} as const;
const minute = 60_000;

function open(given: readonly string[] | undefined = ["say: one"]) {
	const [port, clock, log, names] = [
		new ScriptedPort(),
		new ManualClock(),
		new MemoryLogger(),
		new MemoryNames(),
	];
	if (given) names.stored.set("5", { given, changedAt: [] });
	const caller = new Caller({ port, limits: new RateLimits(clock), clock, log: silentLogger });
	const titles = new ThreadTitles({ caller, names, user: "7", clock, log });
	const show = (title: string, name: string, more: object = {}) => {
		const body = { name, owner_id: "7", thread_metadata: { archived: false }, ...more };
		port.answer(read, { body });
		return titles.show(row, title);
	};
	return { port, clock, log, names, show };
}

test("a thread with the name that the connector gave it takes the title", async () => {
	const t = open();
	expect(await t.show("Plans", "say: one")).toEqual({ remote: "5#title", limits: [] });
	expect(t.port.last).toEqual({ name: "Plans" });
	await t.show(` ${"é".repeat(101)}`, "Plans");
	expect(t.port.last).toEqual({ name: `${"é".repeat(99)}…` });
});

test.each([
	["a name other than the connector's", "Hers", {}],
	["the title as its name already", "Plans", {}],
	["another owner", "say: one", { owner_id: "8" }],
	["no owner", "say: one", { owner_id: undefined }],
	["the type of a channel", "say: one", { thread_metadata: undefined }],
	["a lock and an archive", "say: one", { thread_metadata: { archived: true, locked: true } }],
])("a thread with %s is not renamed", async (_, name, more) => {
	const t = open();
	await t.show("Plans", name, more);
	expect(t.port.requestLines).toEqual([read]);
});

test("a thread that a person gave the title as its name is not renamed later", async () => {
	const t = open();
	await t.show("Hers", "Hers");
	await t.show("Plans", "Hers");
	expect(t.port.requestLines).toEqual([read, read]);
});

test("without stored names, a thread is renamed only after it had the title as its name", async () => {
	const t = open(undefined);
	t.names.stored.clear();
	await t.show("Plans", "say: one");
	expect(t.port.requestLines).toEqual([read]);
	await t.show("Plans", "Plans");
	await t.show("Later", "Plans");
	expect(t.port.last).toEqual({ name: "Later" });
});

test("an archived thread is renamed, and no longer archived", async () => {
	const t = open();
	await t.show("Plans", "say: one", { thread_metadata: { archived: true } });
	expect(t.port.last).toEqual({ name: "Plans", archived: false });
});

test("a third change in ten minutes waits, also after a restart of the connector", async () => {
	const t = open();
	await t.show("1", "say: one");
	t.clock.advance(minute);
	const wait = { scope: "5#title", retryAfterMs: 9 * minute };
	expect(await t.show("2", "1")).toMatchObject({ limits: [wait] });
	await expect(t.show("3", "2")).rejects.toMatchObject({ kind: "rate-limited", limit: wait });
	expect(t.port.requestLines.filter((line) => line === write)).toHaveLength(2);
	t.clock.advance(9 * minute);
	expect(await t.show("3", "2")).toMatchObject({ limits: [{ scope: "5#title", retryAfterMs: minute }] });
});

test("after a change without a response, the thread still belongs to the connector with either name", async () => {
	for (const present of ["say: one", "Plans"]) {
		const t = open();
		t.port.answer(write, new Error("no connection"));
		await expect(t.show("Plans", "say: one")).rejects.toMatchObject({ kind: "unknown" });
		await t.show("Later", present);
		expect(t.port.last).toEqual({ name: "Later" });
	}
});

test.each([
	["the permission", 403, 50_013],
	["access to the channel", 403, 50_001],
	["a name that is allowed", 400, 200_001],
	["a thread that exists", 404, 10_003],
	["a thread that is open", 400, 160_005],
])("without %s, the row is done, and only the log says so", async (_, status, code) => {
	const t = open();
	t.port.answer(write, { status, body: { code, message: "Refused" } });
	expect(await t.show("Plans", "say: one")).toEqual({ remote: "5#title" });
	expect(t.log.records.map(({ level }) => level)).toEqual(["warn"]);
});

test("a rate limit of Discord applies to later titles of the thread", async () => {
	const t = open();
	t.port.answer(write, { status: 429, body: { message: "slow", retry_after: 582 } });
	await expect(t.show("Plans", "say: one")).rejects.toMatchObject({
		kind: "rate-limited",
		limit: { retryAfterMs: 582_000 },
	});
});

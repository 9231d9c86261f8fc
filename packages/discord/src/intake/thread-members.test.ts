import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { Channels } from "./channels.ts";
import { mayForkRoom, maySeeThread } from "./thread-members.ts";

const request = "GET /channels/7/thread-members/4";

async function see(type: number, ...statuses: readonly number[]) {
	const port = new ScriptedPort();
	port.answer(request, ...statuses.map((status) => ({ status })));
	const channels = new Channels({ port, clock: new ManualClock() });
	channels.note({ id: "7", type, guild_id: "1", parent_id: "2" });
	const answer = { thread: "7", user: "4" };
	return { port, seen: maySeeThread({ port, channels }, answer, new AbortController().signal) };
}

test("all readers of a channel see its public threads", async () => {
	const { port, seen } = await see(11);
	expect(await seen).toBe(true);
	expect(port.requestLines).toEqual([]);
});

test("only members see a private thread", async () => {
	expect(await (await see(12, 200)).seen).toBe(true);
	const { port, seen } = await see(12, 404);
	expect(await seen).toBe(false);
	expect(port.requestLines).toEqual([request]);
	expect(await (await see(12, 403)).seen).toBe(false);
});

test("if Discord does not answer, the command is retried", async () => {
	await expect((await see(12, 503)).seen).rejects.toMatchObject({ code: "unavailable" });
});

test("a thread that the bot cannot see is not shown", async () => {
	const port = new ScriptedPort();
	port.answer("GET /channels/7", { status: 404, body: { code: 10_003 } });
	const channels = new Channels({ port, clock: new ManualClock() });
	const answer = { thread: "7", user: "4" };
	expect(await maySeeThread({ port, channels }, answer, new AbortController().signal)).toBe(false);
});

test.each([
	["a text channel", 0, undefined, true],
	["an announcement channel", 5, undefined, true],
	["a public thread", 0, 11, true],
	["a private thread", 0, 12, false],
	["a post of a forum", 15, 11, false],
	["a voice channel", 2, undefined, false],
])("a copy of a conversation in %s", async (_, channel, thread, may) => {
	const channels = new Channels({ port: new ScriptedPort(), clock: new ManualClock() });
	channels.note({ id: "2", type: channel, guild_id: "1" });
	if (thread !== undefined) channels.note({ id: "7", type: thread, guild_id: "1", parent_id: "2" });
	const room = { channel: "2", thread: thread === undefined ? undefined : "7" };
	expect(await mayForkRoom(channels, room, new AbortController().signal)).toBe(may);
});

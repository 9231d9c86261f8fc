import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { MemoryNames } from "../testing/memory-names.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { openMentionThread } from "./mention-thread.ts";

const start = "POST /channels/10/messages/5/threads";
const write = "POST /channels/5/typing";
const room = { tenant: "1", channel: "10", shared: false, kind: "channel" as const };
const refused = (status: number, code: number) => ({ status, body: { code, message: "Refused" } });

function open() {
	const [port, log, names] = [new ScriptedPort(), new MemoryLogger(), new MemoryNames()];
	const thread = (name = "Tidy up") => openMentionThread({ port, names, log }, room, { message: "5", name });
	return { port, names, thread };
}

test("a thread is opened with a name that fits, and an existing one counts as opened", async () => {
	const { port, thread } = open();
	expect(await thread("é".repeat(101))).toEqual({});
	expect(port.requestLines).toEqual([start, write]);
	expect(port.requests[0]?.body).toEqual({ name: `${"é".repeat(99)}…`, auto_archive_duration: 1440 });
	port.answer(start, refused(400, 160_004));
	expect(await thread()).toEqual({});
});

test.each([
	["the permission to open threads", start, refused(403, 50_013)],
	["the permission to write in threads", write, refused(403, 50_013)],
	["a channel type with threads", start, refused(400, 50_024)],
	["room for another thread", start, refused(400, 160_006)],
	["a reason", start, { status: 400, body: "no" }],
])("without %s, the operator gets the permissions to check", async (_, at, answer) => {
	const { port, thread } = open();
	port.answer(at, answer);
	expect(await thread()).toEqual({ refused: expect.stringContaining('"Send Messages in Threads"') });
});

test.each([
	["an error of Discord", { status: 503, body: null }],
	["a rate limit", { status: 429, body: { message: "slow", retry_after: 1 } }],
])("%s is temporary", async (_, answer) => {
	const { port, thread } = open();
	port.answer(start, answer);
	await expect(thread()).rejects.toMatchObject({ code: "unavailable" });
});

import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { createDiscordPlatform } from "./run-discord.ts";
import { Tickets } from "./surface/private-answers.ts";
import { MemoryNames } from "./testing/memory-names.ts";
import { ScriptedPort } from "./testing/scripted-port.ts";

const port = new ScriptedPort();
const platform = createDiscordPlatform({
	names: new MemoryNames(),
	...{ port, self: { user: "500", application: "501" }, tickets: new Tickets() },
	...{ clock: new ManualClock(), log: new MemoryLogger() },
	cards: async () => undefined,
	ownerOf: async () => undefined,
	readFile: async () => new Uint8Array(),
});
const room = { tenant: "1", channel: "10", shared: false, kind: "channel" } as const;
const signal = new AbortController().signal;

test("a conversation has the name of its thread or its channel", () => {
	expect(platform.conversation(room)).toBe("10");
	expect(platform.conversation({ ...room, thread: "20" })).toBe("20");
});

test("people and times are Markdown of the kit, which the dialect shows", () => {
	const markdown = `${platform.person("42")} ${platform.moment(Date.UTC(2026, 0, 1))}`;
	expect(platform.dialect.write(parseText(markdown).blocks)).toBe("<@42> <t:1767225600:R>");
});

test("a command is typed the same in every channel", () => {
	expect([platform.command("task new", {}), platform.command("help", { thread: "20" })]).toEqual([
		"/task new",
		"/help",
	]);
});

test("an attachment is read completely, unless it is too large", async () => {
	const attachment = { id: "1", name: "a.txt", size: 2, url: "https://cdn.example/a.txt" };
	port.downloads.set(attachment.url, new Uint8Array([1, 2]));
	expect(await platform.read(attachment, signal)).toEqual(new Uint8Array([1, 2]));
	await expect(platform.read({ ...attachment, size: 3 }, signal)).rejects.toThrow(
		"only 2 of 3 bytes of the file arrived: attach the file again",
	);
	await expect(platform.read({ ...attachment, size: 26 * 1024 * 1024 }, signal)).rejects.toThrow(
		"the file is larger than 25 MiB: attach a smaller file",
	);
});

test("posts leave space for added text", () => {
	expect(platform.limits).toMatchObject({ post: 1900, buttonLabel: 80, options: 25, threadName: 100 });
	expect(platform.name).toBe("discord");
});

import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { createSlackPlatform } from "./slack-platform.ts";
import { ScriptedPort } from "./testing/scripted-slack.ts";

function open() {
	const port = new ScriptedPort();
	const platform = createSlackPlatform({
		port,
		clock: new ManualClock(),
		log: new MemoryLogger(),
		cards: async () => undefined,
		self: { team: "T1", user: "U0", bot: "B0", name: "parley", url: "https://acme.slack.com/" },
		readFile: async () => new Uint8Array(),
		nameOf: (id) => (id === "U1" ? "Ada [x](y)" : undefined),
	});
	return { port, platform };
}

test("a person is named by a link to their profile, without a notification", () => {
	const { platform } = open();
	const named = platform.dialect.write(
		parseText(`${platform.person("U1")} and ${platform.person("U2")}`).blocks,
	);
	expect(named).toBe(
		"[@Ada  x (y)](https://acme.slack.com/team/U1) and [@U2](https://acme.slack.com/team/U2)",
	);
});

test("a channel is a conversation, and so is each of its threads", () => {
	const { platform } = open();
	const room = { tenant: "T1", channel: "C1", shared: false, kind: "channel" } as const;
	expect(platform.conversation(room)).toBe("T1/C1");
	expect(platform.conversation({ ...room, thread: "C1-1700000000.000100" })).toBe("T1/C1/1700000000.000100");
});

test("a command is typed after the command of Parley, and after its name in threads", () => {
	const { platform } = open();
	expect(platform.command("task new", {})).toBe("/parley task new");
	expect(platform.command("task new", { thread: "C1-1700000000.000100" })).toBe("!task new");
	expect(platform.aboutCommands).toContain(
		"In a thread, mention me and write the command, for example `@parley !task list`",
	);
});

test("an attachment is read completely or not at all", async () => {
	const { platform, port } = open();
	const { signal } = new AbortController();
	const file = { id: "F1", name: "a.txt", size: 3, url: "https://files.slack.com/a" };
	port.downloads.set(file.url, new Uint8Array(3));
	expect(await platform.read(file, signal)).toHaveLength(3);
	await expect(platform.read({ ...file, size: 4 }, signal)).rejects.toMatchObject({ code: "data_loss" });
	const large = platform.read({ ...file, size: 30 * 1024 * 1024 }, signal);
	await expect(large).rejects.toMatchObject({ code: "resource_exhausted" });
});

test.each([
	"https://acme.slack.com/archives/C2/p1767268800123456",
	"https://acme.slack.com/archives/C2/p1767268800123456?thread_ts=1767268000.000100&cid=C2",
	"<https://acme.slack.com/archives/C2/p1767268800123456>",
	"C2-1767268800.123456",
])("a message is named by %s from any channel", (text) => {
	const { platform } = open();
	const room = { tenant: "T1", channel: "C1", shared: false, kind: "channel" } as const;
	expect(platform.messageNamed?.(text, room)).toBe("C2-1767268800.123456");
	expect(platform.messageEnding?.(text)).toBeUndefined();
	const ts = "1767268800.123456";
	expect(platform.messageNamed?.(ts, room)).toBe("C1-1767268800.123456");
	expect("C2-1767268800.123456".endsWith(platform.messageEnding?.(ts) ?? "nothing")).toBe(true);
});

import { commandTable } from "@parley/connector";
import { expect, test } from "vitest";
import { readCommand } from "./slash-command.ts";

const names = { slash: "/parley", bot: "parley" };

test.each([
	["ask why is it so", "ask", { text: "why is it so" }],
	["/task new Count priority:high", "task new", { text: "Count", priority: "high" }],
	["!stop", "stop", {}],
	["stop.", "stop", {}],
	["Stop!", "stop", {}],
	["/stop!!", "stop", {}],
	["tasks", "task list", {}],
	["SESSION list", "session list", {}],
])("%s is a command of the kit", (text, command, options) => {
	expect(readCommand(text, names)).toEqual({ command, options });
});

test.each(["", "  ", "help", "/help"])("'%s' explains all commands in the form of Slack", (text) => {
	const { words = "" } = { ...readCommand(text, { ...names, slash: "/parley-dev" }) } as { words?: string };
	for (const { name } of commandTable) expect(words).toContain(`\`/parley-dev ${name}\``);
	expect(words).toContain("In a thread, mention me and write the command, for example `@parley !task list`");
	// Maximum characters that Slack shows in a command's reply: https://docs.slack.dev/messaging
	expect(words.length).toBeLessThan(4000);
});

test.each([
	["task", "`/parley task new`"],
	["session", "`/parley session list`"],
	["trust", "`/parley trust"],
	["ask", "`/parley ask text:…`"],
	["dance", "`/parley ask` and your request"],
	["dance", "`/parley help`"],
])("%s alone gets an explanation", (text, part) => {
	expect(readCommand(text, names)).toEqual({ words: expect.stringContaining(part) });
});

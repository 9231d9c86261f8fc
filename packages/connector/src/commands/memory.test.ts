import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { commanded, scriptedContext } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { memoryCommands } from "./memory.ts";

const note = {
	memory_id: "mem_aaaaaaaaaaaaaaaaaaaa000001",
	scope: "user" as const,
	subject: "discord:1:42",
	content: "likes *tea*",
	tags: ["drinks"],
	author: "discord:1:42",
	taint: "U",
	created_at: "1970-01-01T00:00:10.000Z",
};

test.each<{
	name: string;
	command: string;
	options: Readonly<Record<string, string>>;
	answers: ScriptedAnswers;
	says: string | RegExp;
	asks: { readonly method: string; readonly params: object };
}>([
	{
		name: "the notes of a person are listed",
		command: "memory",
		options: {},
		answers: { list_memories: () => ({ memories: [note] }) },
		says: /^1\. \(about you #drinks\): likes .*tea.*`\S*forget NUMBER` deletes a note/s,
		asks: { method: "list_memories", params: { limit: 10, actor: { id: "42" } } },
	},
	{
		name: "notes are searched",
		command: "memory",
		options: { query: "tea" },
		answers: { query_memories: () => ({ memories: [] }) },
		says: "No note contains any of these words.",
		asks: { method: "query_memories", params: { query: "tea", actor: { id: "42" } } },
	},
	{
		name: "one note is deleted",
		command: "forget",
		options: { what: "mem_aaaaaaaaaaaaaaaaaaaa000001" },
		answers: { forget_memory: () => ({ status: "forgotten", forgotten: 1 }) },
		says: "Deleted.",
		asks: {
			method: "forget_memory",
			params: { memory_id: "mem_aaaaaaaaaaaaaaaaaaaa000001", actor: { id: "42" } },
		},
	},
	{
		name: "all notes of a person are deleted",
		command: "forget",
		options: { what: "Me" },
		answers: { forget_memory: () => ({ status: "forgotten", forgotten: 3 }) },
		says: "Deleted 3 notes about you or by you.",
		asks: { method: "forget_memory", params: { person: "me", actor: { id: "42" } } },
	},
])("$name", async ({ command, options, answers, says, asks }) => {
	const { context, gateway } = scriptedContext(answers);
	const run = memoryCommands.find(({ name }) => name === command);
	const { text } = (await run?.run(context, commanded(command, options))) ?? {};
	expect(text).toMatch(says);
	expect(gateway.requests.at(-1)).toMatchObject(asks);
});

test("a command in a channel shows no notes about the person there", async () => {
	const shared = {
		...note,
		memory_id: "mem_aaaaaaaaaaaaaaaaaaaa000002",
		scope: "channel" as const,
		content: "deploys on Friday",
	};
	for (const [memories, says] of [
		[[note], /^Notes about you are not shown in this channel/],
		[[note, shared], /^1\. \(this channel.*Notes about you are not shown/s],
	] as const) {
		const { context } = scriptedContext({ list_memories: () => ({ memories: [...memories] }) });
		const handled = { ...commanded("memory", {}), message: "m1" };
		const [command] = memoryCommands;
		const { text } = (await command?.run(context, handled)) ?? {};
		expect(text).toMatch(says);
		expect(text).not.toContain("likes");
	}
});

test("in a thread without private commands, the hint names the command of the channel", async () => {
	const { context } = scriptedContext({ list_memories: () => ({ memories: [note] }) });
	const command = (name: string, { thread }: { readonly thread?: string }): string =>
		thread === undefined ? `/parley ${name}` : `!${name}`;
	const { event, key } = commanded("memory", {});
	const handled = { event: { ...event, room: { ...event.room, thread: "7" } }, key, message: "m1" };
	const [list] = memoryCommands;
	const { text } =
		(await list?.run({ ...context, platform: { ...context.platform, command } }, handled)) ?? {};
	expect(text).toContain("`/parley memory` shows them to you alone");
});

test("an unknown note can only be named by its number", async () => {
	const { context } = scriptedContext({
		list_memories: () => ({ memories: [note] }),
		forget_memory: () => {
			throw new ParleyError('not available: Memory not found: "tea"', { code: "unimplemented" });
		},
	});
	const [, forget] = memoryCommands;
	const unknown = forget?.run(context, commanded("forget", { what: "tea" }));
	await expect(unknown).rejects.toThrow(/^there is no note “tea” here: use a number from \S*memory$/);
});

test("a note is deleted by its number in the list", async () => {
	const { context, gateway } = scriptedContext({
		list_memories: () => ({ memories: [note] }),
		forget_memory: () => ({ status: "forgotten", forgotten: 1 }),
	});
	const [list, forget] = memoryCommands;
	await list?.run(context, commanded("memory"));
	expect(await forget?.run(context, commanded("forget", { what: "1" }))).toEqual({ text: "Deleted." });
	expect(gateway.requests.at(-1)).toMatchObject({ params: { memory_id: note.memory_id } });
});

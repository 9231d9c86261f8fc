import { expect, test } from "vitest";
import { chatDialect } from "../../testing/chat-dialect.ts";
import { growingParts, stableStart } from "./growing-parts.ts";
import type { RunPart } from "./run-parts.ts";

test.each([
	["One two thr", "One two"],
	["One **two thr", "One"],
	["One **two** thr", "One **two**"],
	["One `a b` [c d](https://a.example) two", "One `a b` [c d](https://a.example)"],
	["One [c d](https://a.exam", "One"],
	["2 * 3 * 4 is snake_case word", "2 * 3 * 4 is snake_case"],
	["[offline] one two", "[offline] one"],
	["a[0] [a b", "a[0]"],
	["Hello! Wor", ""],
	["Hello there! Wor", "Hello"],
	["Done.\n\n- one two\n- ", "Done.\n\n- one two"],
	["Done.\n\n- one two\n- three fo", "Done.\n\n- one two\n- three"],
	["Code:\n\n```ts\nconst a = 1;\nconst b", "Code:\n\n```ts\nconst a = 1;"],
	["Code:\n\n```ts\nconst a = 1;\n```\n\nAfter it", "Code:\n\n```ts\nconst a = 1;\n```\n\nAfter"],
	["| a | b", ""],
])("the stable start of %j is %j", (text, start) => {
	expect(stableStart(text)).toBe(start);
});

const text = [
	"I **read** the _file_ `notes.md` and [the page](https://a.example/b_c). Good! It is 2 * 3 = 6.",
	"## The plan",
	"- first *thing*, snake_case\n- second thing\n  1. deeper one\n  2. deeper two",
	"```ts\nconst a = `x`;\n\nif (a) return; // **no**\n```",
	"> quoted ~~text~~ here\n> and more",
	"The end, after all. ",
].join("\n\n");

test("each state of a growing text begins with the one before it, and the last one is complete", () => {
	const dialect = chatDialect;
	let before = "";
	for (let end = 1; end <= text.length; end++) {
		const state = { level: "tools", text: text.slice(0, end), now: 0, dialect } as const;
		const [part] = growingParts([], state);
		const body = part?.type === "text" ? part.body : "";
		expect(body.startsWith(before), `${JSON.stringify(before)} → ${JSON.stringify(body)}`).toBe(true);
		before = body;
	}
	expect(before).toContain("The end, after all.");
});

const parts: readonly RunPart[] = [
	{ type: "text", text: "I look." },
	{ type: "text", text: "Twice." },
	{ type: "call", id: "c1", name: "run_command", subject: "make", from: 0, to: 4000 },
	{ type: "call", id: "c2", name: "edit_file", subject: "/a/b.md", from: 4000, failed: true, to: 4200 },
	{ type: "call", id: "c3", name: "read_file", from: 5000 },
];

test("texts and calls alternate, and each call has its state and duration", () => {
	const state = { text: "Now I wri", now: 12_000, dialect: chatDialect } as const;
	expect(growingParts(parts, { ...state, level: "tools" })).toEqual([
		{ type: "text", body: "I look.\n\nTwice." },
		{ type: "call", id: "c1", title: "run_command · 4 s", state: "completed" },
		{ type: "call", id: "c2", title: "edit_file b.md", state: "failed" },
		{ type: "call", id: "c3", title: "read_file · 5 s", state: "running" },
		{ type: "text", body: "Now I" },
	]);
	expect(growingParts(parts, { ...state, level: "everything" })[1]).toMatchObject({
		title: "run_command make · 4 s",
	});
	expect(growingParts(parts, { ...state, level: "text" })).toEqual([
		{ type: "text", body: "I look.\n\nTwice.\n\nNow I" },
	]);
	expect(growingParts(parts, { ...state, level: "off" })).toEqual([]);
});

import type { Control } from "@parley/connector";
import { expect, test } from "vitest";
import { limits } from "../vocabulary/limits.ts";
import { type Component, checkDraft, threadNameProblem } from "./check.ts";
import { draftOf, withoutFiles } from "./drafts.ts";

const button = (id: string, label = "Go"): Control => ({ type: "button", id, label, style: "primary" });
const link = (label: string, url: string): Control => ({ type: "link", label, url });
const choice = (count: number): Control => ({
	...{ type: "choice", id: "c", placeholder: "p".repeat(200), minimum: 1, maximum: count },
	options: Array.from({ length: count }, (_, n) => ({
		...{ value: `v${n}`, label: "l".repeat(120), description: n === 0 ? "" : "d", chosen: n === 0 },
	})),
});
const bytes = (length: number): Uint8Array => new Uint8Array(length);
const file = (name: string, length = 1) => ({ name, bytes: bytes(length), description: name });

test("controls are in rows of five, and a choice has its own row", () => {
	const many = Array.from({ length: 6 }, (_, n) => button(`b${n}`));
	const { draft, omitted } = draftOf({
		body: "x",
		controls: [[...many, choice(2)], [button("last")]],
		files: [],
	});
	expect(draft.components.map(({ components }) => components.length)).toEqual([5, 1, 1, 1]);
	expect(omitted).toEqual([]);
	expect(checkDraft(draft)).toEqual({});
});

test("long texts of a control are cut, and its values are not", () => {
	const { draft } = draftOf({
		body: "x",
		controls: [[choice(30)], [button("b", "😀".repeat(81))]],
		files: [],
	});
	const [row, other] = draft.components;
	expect(row?.components[0]).toMatchObject({ min_values: 1, max_values: 25 });
	const [select] = row?.components ?? [];
	expect(select?.type === 3 && select.options.length).toBe(25);
	expect(select?.type === 3 && select.options[0]).toEqual({
		...{ value: "v0", label: `${"l".repeat(99)}…`, default: true },
	});
	expect(other?.components[0]).toMatchObject({ label: `${"😀".repeat(79)}…`, style: 1, custom_id: "b" });
	expect(checkDraft(draft)).toEqual({});
});

test("a button has its emoji before the label", () => {
	const again: Control = { type: "button", id: "g", label: "Again", style: "secondary", emoji: "🔁" };
	const { draft } = draftOf({ body: "x", controls: [[again]], files: [] });
	expect(draft.components).toMatchObject([{ components: [{ label: "Again", emoji: { name: "🔁" } }] }]);
});

test("controls that Discord refuses are omitted, and their links remain", () => {
	const controls = [[button("x".repeat(101)), link("Open", "https://a.example/b")]];
	expect(draftOf({ body: "text", controls, files: [] })).toEqual({
		draft: { content: "text\nOpen: <https://a.example/b>", components: [], files: [] },
		omitted: ["the id of a control has 101 characters (allowed: 1 to 100)"],
	});
});

test("a text that is too long becomes a file with its beginning, and its code is closed", () => {
	const body = `\`\`\`ts\n${"a\n".repeat(1500)}\`\`\``;
	const { draft } = draftOf({ body, files: [] });
	expect(draft.content).toMatch(/^```ts\na\n[\s\S]*…\n```\n-# The complete text is in message\.md\.$/);
	expect(draft.files.map(({ name, bytes: content }) => [name, new TextDecoder().decode(content)])).toEqual([
		["message.md", body],
	]);
	expect(checkDraft(draft)).toEqual({});
});

test("files that are too large are left out, and the text states that", () => {
	const { draft } = draftOf({ body: "text", files: [file("a.bin", limits.fileBytes + 1)] });
	expect(draft.files).toEqual([]);
	expect(draft.content).toContain("-# File not attached");
	expect(draft.content).toContain("a.bin has 10485761 bytes");
});

const row = (...components: Component[]) => ({ type: 1 as const, components });
const go = { type: 2, style: 1, label: "Go", custom_id: "a" } as const;
const pick = { type: 3, custom_id: "p", min_values: 1, max_values: 1 } as const;
const option = { value: "v", label: "l", default: false };

test.each<[string, object, string, string]>([
	[
		"more than 2,000 characters",
		{ content: "😀".repeat(2001) },
		"content",
		"the content has 2001 characters",
	],
	["nothing", { content: " " }, "content", "content is empty"],
	[
		"six rows",
		{ components: "abcdef".split("").map((custom_id) => row({ ...go, custom_id })) },
		"components",
		"6 rows",
	],
	["an empty row", { components: [row()] }, "components", "a row of controls is empty"],
	[
		"a button beside a choice",
		{ components: [row(go, { ...pick, options: [option] })] },
		"components",
		"2 controls",
	],
	["one id twice", { components: [row(go, go)] }, "components", "two controls have the same id"],
	["an empty id", { components: [row({ ...go, custom_id: "" })] }, "components", "id of a control"],
	["a long label", { components: [row({ ...go, label: "x".repeat(81) })] }, "components", "81 characters"],
	[
		"a script",
		{ components: [row({ type: 2, style: 5, label: "x", url: "javascript:1" })] },
		"components",
		"is not an http or https URL",
	],
	["no options", { components: [row({ ...pick, options: [] })] }, "components", "0 options"],
	[
		"one value twice",
		{ components: [row({ ...pick, options: [option, option] })] },
		"components",
		"same value",
	],
	[
		"too much chosen",
		{ components: [row({ ...pick, max_values: 2, options: [option] })] },
		"components",
		"(1 to 2) do not match its number of options (1)",
	],
	[
		"a long value",
		{ components: [row({ ...pick, options: [{ ...option, value: "x".repeat(101) }] })] },
		"components",
		"option",
	],
	["eleven files", { files: Array.from({ length: 11 }, () => file("a")) }, "files", "11 files"],
	["a request too large", { files: [1, 2, 3].map(() => file("a", 9_000_000)) }, "files", "27000000 bytes"],
	["a long alt text", { files: [{ ...file("a"), description: "x".repeat(1025) }] }, "files", "description"],
])("a message with %s is refused", (_name, more, part, problem) => {
	const good = { content: "text", components: [row(go)], files: [] };
	expect(checkDraft(good)).toEqual({});
	const found = Object.entries(checkDraft({ ...good, ...more }));
	expect(found).toEqual([[part, expect.stringContaining(problem)]]);
});

test("the name of a thread has 1 to 100 characters", () => {
	expect([threadNameProblem("a"), threadNameProblem("😀".repeat(100))]).toEqual([undefined, undefined]);
	expect([threadNameProblem(""), threadNameProblem("x".repeat(101))]).toEqual([
		"the name of the thread has 0 characters (allowed: 1 to 100)",
		"the name of the thread has 101 characters (allowed: 1 to 100)",
	]);
});

test("a message without its files still fits, reports them, and closes its formatting", () => {
	const content = `\`\`\`js\n${"x".repeat(limits.content - 9)}\n\`\`\``;
	const draft = withoutFiles({ content, components: [], files: [file("a.md")] }, "permission");
	expect(checkDraft(draft)).toEqual({});
	expect(draft.files).toEqual([]);
	expect(draft.content).toMatch(
		/…\n```\n-# File not attached: I have no permission to attach files here\. Ask an administrator to give me “Attach Files”\.$/,
	);
	const several = withoutFiles({ ...draft, files: [file("a.md"), file("b.md")] }, "contents");
	expect(several.content).toContain(
		"-# Files not attached: Discord refused a.md, b.md. Ask the operator for them.",
	);
});

test("a card of more than 4,000 characters or with files has no container", () => {
	const cardOf = (body: string, files = [] as ReturnType<typeof file>[]) =>
		draftOf({ body, files, state: "notice" }).draft;
	expect(cardOf("x".repeat(4000)).container).toEqual({ accent: 0x00a8fc });
	const long = cardOf("x".repeat(4001));
	expect([long.container, long.files.map(({ name }) => name)]).toEqual([undefined, ["message.md"]]);
	expect(cardOf("x", [file("a.txt")]).container).toBeUndefined();
});

test("a container has at most 40 components with those inside", () => {
	const rows = (count: number) =>
		Array.from({ length: count }, (_, index) => [button(`a${index}`), button(`b${index}`)]);
	const { draft } = draftOf({ body: "x", controls: rows(5), files: [], state: "notice" });
	expect(checkDraft(draft)).toEqual({});
	expect(checkDraft({ ...draft, files: [file("a")] })).toHaveProperty("files");
	const many = {
		...draft,
		components: Array.from({ length: 39 }, () => ({ type: 1, components: [] }) as const),
	};
	expect(checkDraft(many)).toHaveProperty("components");
});

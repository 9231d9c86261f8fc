import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { type Control, Posting } from "../platform/posting.ts";
import { chatDialect } from "../testing/chat-dialect.ts";
import type { Dialect } from "../text/dialect.ts";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { toRows } from "./to-rows.ts";
import { isBlank } from "./vocabulary/plain.ts";
import type { RenderOperation, ShowOperation } from "./vocabulary/render-operation.ts";

const smallDialect: Dialect = { ...chatDialect, small: (line) => `-# ${line}` };
const limits = {
	post: 200,
	postsPerAnswer: 4,
	buttonLabel: 10,
	controlsPerRow: 3,
	controlRows: 5,
	options: 25,
	optionText: 12,
	threadName: 20,
	form: { fields: 5, name: 98, text: 4000 },
};
const time = { seq: 7, at: 1000 };

function rows(operation: RenderOperation, dialect: Dialect = chatDialect, post = limits.post) {
	return toRows([operation], {
		time,
		conversation: "general",
		platform: { dialect, limits: { ...limits, post } },
	});
}

type Post = Extract<Posting, { type: "post" }>;

function posts(show: Partial<ShowOperation>, dialect?: Dialect, post?: number): Post[] {
	const operation: ShowOperation = { type: "show", lane: "final", text: "", ...show };
	return rows(operation, dialect, post).map(({ payload }) => {
		const posting = Posting.parse(payload);
		if (posting.type !== "post") throw new Error(`${posting.type} is no post`);
		return posting;
	});
}

function button(label: string): Control {
	return { type: "button", id: "id", label, style: "primary" };
}

const sentence = "The quick brown fox jumps over the lazy dog. ";

test("only the first post is a reply and notifies people, and only the last post has the footer and controls", () => {
	const upload = { fileId: "file_1", name: "a.png", size: 3 };
	const opens = { card: "task:1", label: "Open", room: { tenant: "1", channel: "5" } };
	const below = { controls: [[button("Stop")]], upload, foot: "small *print*" };
	const show = {
		text: sentence.repeat(10),
		replyTo: "5",
		mentions: ["42"],
		thread: "task:1",
		opens,
		...below,
	};
	const all = posts(show, smallDialect);
	expect(all.length).toBe(3);
	expect(all.map(({ replyTo }) => replyTo)).toEqual(["5", undefined, undefined]);
	expect(all.map(({ thread }) => thread)).toEqual(["task:1", "task:1", "task:1"]);
	expect(all.map(({ controls }) => controls)).toEqual([undefined, undefined, below.controls]);
	expect(all.map((post) => post.upload)).toEqual([undefined, undefined, upload]);
	expect(all.map((post) => post.opens)).toEqual([undefined, undefined, opens]);
	expect(all.map(({ mentions }) => mentions)).toEqual([["42"], undefined, undefined]);
	expect(all.map(({ body }) => body.includes("-# small _print_"))).toEqual([false, false, true]);
});

test("a row has the position and time of its event, and the order of its task", () => {
	const show: ShowOperation = { type: "show", lane: "progress", card: "task:9", text: "half", task: "9" };
	const payload = { type: "post", body: "half" };
	const row = { seq: 7, at: 1000, lane: "progress", payload };
	expect(rows(show)).toEqual([{ ...row, card: "task:9", conversation: "general#task:9" }]);
	const { task: _, card: __, ...plain } = show;
	expect(rows(plain)).toEqual([row]);
});

test("a thread is opened for an existing card, with a name that fits", () => {
	const name = "Compare  the\nprices of all shops";
	expect(rows({ type: "thread", lane: "milestone", card: "task:9", name, task: "9" })).toEqual([
		{
			seq: 7,
			at: 1000,
			lane: "milestone",
			conversation: "general#task:9",
			payload: { type: "thread", card: "task:9", name: "Compare the prices…" },
		},
	]);
});

test.each<[string, Partial<ShowOperation>, string]>([
	["a text", { text: "hello *you*" }, "hello _you_"],
	["its foot alone", { foot: "trusted" }, "_trusted_"],
	["a mark of its own where there is nothing", { text: " \n\u200b\n", card: "queue:1" }, "…"],
	["nothing beside a file", { upload: { fileId: "f", name: "a", size: 1 } }, ""],
	["no foot where that is blank", { text: "hi", foot: " " }, "hi"],
	["the text above the foot", { text: "hi", foot: "trusted" }, "hi\n\n_trusted_"],
])("a post shows %s", (_what, show, body) => {
	expect(posts(show).map((post) => post.body)).toEqual([body]);
});

test("a footer that leaves no space shortens the text, and a long footer is cut", () => {
	const text = `${"word ".repeat(39)}word`;
	expect(posts({ text })).toHaveLength(1);
	expect(posts({ text, foot: "trusted channel" })).toHaveLength(2);
	const [cut] = posts({ text: "hi", foot: sentence.repeat(9) });
	expect(cut?.body).toMatch(/^hi\n\n_The quick.*\n\n_…_$/);
	expect(cut?.body.length).toBeLessThan(60);
});

test("a card is one post with its controls, cut between its parts with a note", () => {
	const text = `Run this?\n\n\`\`\`sh\n${"make all\n".repeat(40)}\`\`\`\n\nReally?`;
	const [card, ...others] = posts({ text, card: "ask:1", foot: "until noon", controls: [[button("Yes")]] });
	expect(others).toEqual([]);
	expect(card?.body).toMatch(/^Run this\?\n\n```\n(?:make all\n)+```\n\n_… some details.*_\n\n_until noon_$/);
	expect(card?.controls).toHaveLength(1);
	expect(posts({ text: "short", card: "ask:1" })).toEqual([{ type: "post", body: "short" }]);
});

test("an answer that needs too many posts is a file with its beginning", () => {
	const text = sentence.repeat(40);
	const [post, ...others] = posts({ text, foot: "trusted", controls: [[button("Good")]] });
	expect(others).toEqual([]);
	expect(post?.file).toEqual({ name: "answer.md", content: text });
	expect(post?.body).toMatch(/^The quick brown fox.*answer\.md\._\n\n_trusted_$/s);
	expect(post?.controls).toHaveLength(1);
});

test("controls get labels and rows that fit", () => {
	const option = { value: "v", label: "a rather long option", description: "", chosen: false };
	const choice = { type: "choice", id: "id", placeholder: "x".repeat(20), minimum: 1, maximum: 1 } as const;
	const wide = ["Approve once and for all", "", "b", "c"].map(button);
	const [post] = posts({ text: "?", controls: [wide, [], [{ ...choice, options: [option] }]] });
	expect(post?.controls).toEqual([
		[button("Approve o…"), button("…"), button("b")],
		[button("c")],
		[{ ...choice, placeholder: `${"x".repeat(11)}…`, options: [{ ...option, label: "a rather lo…" }] }],
	]);
});

const token = fc.nat(99_999).map((n) => `w${n}`);
const tokens = fc.array(token, { minLength: 1, maxLength: 30 }).map((list) => list.join(" "));
const block = fc.oneof(
	tokens,
	tokens.map((text) => `**${text}**`),
	tokens.map((text) => `> ${text}`),
	fc
		.array(tokens, { minLength: 1, maxLength: 4 })
		.map((items) => items.map((item) => `- ${item}`).join("\n")),
	tokens.map((text) => `\`\`\`ts\n${text.replaceAll(" ", "\n")}\n\`\`\``),
);
const text = fc.array(block, { maxLength: 8 }).map((blocks) => blocks.join("\n\n"));
const foot = fc.option(
	fc.array(fc.nat(99), { minLength: 1, maxLength: 30 }).map((list) => list.map((n) => `f${n}`).join(" ")),
	{ nil: undefined },
);
const dialects = fc.constantFrom(chatDialect, smallDialect, markdownDialect);

function words(written: string): string[] {
	return written.match(/\bw\d+\b/g) ?? [];
}

test("every post fits and is not empty, and no part of an answer is lost", () => {
	fc.assert(
		fc.property(text, foot, dialects, fc.constantFrom(120, 300, 700), (answer, below, dialect, limit) => {
			const show = { text: answer, ...defined({ foot: below }) };
			const all = posts(show, dialect, limit);
			expect(all.length).toBeLessThanOrEqual(limits.postsPerAnswer);
			for (const { body } of all) {
				expect(dialect.measure(body)).toBeLessThanOrEqual(limit);
				expect(isBlank(body)).toBe(false);
			}
			const file = all[0]?.file;
			const seen = file === undefined ? all.map(({ body }) => body).join("\n") : file.content;
			expect(words(seen)).toEqual(words(answer));
			const [card, ...others] = posts({ ...show, card: "c" }, dialect, limit);
			expect(others).toEqual([]);
			expect(dialect.measure(card?.body ?? "")).toBeLessThanOrEqual(limit);
			const shown = words(card?.body ?? "");
			expect(shown).toEqual(words(answer).slice(0, shown.length));
			if (shown.length < words(answer).length) expect(card?.body).toContain("some details");
		}),
		{ numRuns: 60 },
	);
});

test("one post of text shows the state of its card, and posts with files do not", () => {
	const upload = { fileId: "file_1", name: "a.png", size: 3 };
	const statesOf = (more: Partial<ShowOperation>) =>
		posts({ text: "x", state: "done", ...more }).map((post) => post.state);
	expect(statesOf({})).toEqual(["done"]);
	expect(statesOf({ upload })).toEqual([undefined]);
	expect(statesOf({ text: sentence.repeat(10) })).toEqual([undefined, undefined, undefined]);
});

test("long code of an answer is a snippet in the last post, if the platform has snippets", () => {
	const code = Array.from({ length: 61 }, (_, n) => `a${n}`).join("\n");
	const show = { text: `Look:\n\n\`\`\`py\n${code}\n\`\`\``, card: "answer:r1" } as const;
	const shown = (more: object, snippets = true) =>
		toRows([{ type: "show", lane: "final", ...show, ...more }], {
			time,
			conversation: "general",
			platform: { dialect: chatDialect, limits, snippets },
		}).flatMap(({ payload }) => (payload.type === "post" ? [payload] : []));
	const snippet = { name: "code-1.py", language: "python", content: code };
	expect(shown({ flows: true })).toMatchObject([
		{ body: "Look:\n\n_The code is in code-1.py (61 lines)._", snippets: [snippet] },
	]);
	for (const posts of [shown({}), shown({ flows: true }, false)]) {
		expect(posts.flatMap(({ snippets = [] }) => snippets)).toEqual([]);
	}
});

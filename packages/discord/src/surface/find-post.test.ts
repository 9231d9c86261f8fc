import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { OutboxRow, Posting } from "@parley/connector";
import { expect, test } from "vitest";
import { MemoryNames } from "../testing/memory-names.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { discordSurface } from "./discord-surface.ts";
import { Tickets } from "./private-answers.ts";

const clock = new ManualClock();
const at = clock.now();
const idAt = (ms: number, more = 0): string => String(BigInt(snowflakeAt(at + ms)) + BigInt(more));
const list = "GET /channels/10/messages";

function open(cards: Record<string, string> = {}, owners: Record<string, string> = {}) {
	const port = new ScriptedPort();
	const surface = discordSurface({
		names: new MemoryNames(),
		...{
			port,
			clock,
			log: new MemoryLogger(),
			tickets: new Tickets(),
			self: { user: "500", application: "501" },
		},
		cards: async (card) => cards[card],
		ownerOf: async (message) => owners[message],
		readFile: async () => {
			throw new Error("nobody reads a file to look for it");
		},
	});
	return { port, surface };
}

function row(payload: Partial<Extract<Posting, { type: "post" }>> = {}, nonce = "ours"): OutboxRow {
	const posting = { type: "post", body: "hello", ...payload };
	return { id: `s/${nonce}`, nonce, conversation: "10", lane: "final", at, attempt: 1, payload: posting };
}

const postOf = (id: string, more: object = {}) => ({ id, author: { id: "500" }, content: "hello", ...more });

test.each([
	["the nonce", postOf(idAt(5), { nonce: "ours", content: "edited since" }), {}],
	["the marker, when the rest has changed", postOf(idAt(5), { content: "done · t7f2" }), { marker: "t7f2" }],
	["the marker, with an escape", postOf(idAt(5), { content: "done · t7\\_2" }), { marker: "t7_2" }],
	["the text", postOf(idAt(5), { content: "hello\n" }), { body: "hello\n\n" }],
	[
		"the text and what it answers",
		postOf(idAt(5), { message_reference: { message_id: "3" } }),
		{ replyTo: "3" },
	],
	[
		"the file",
		postOf(idAt(5), { attachments: [{ filename: "a.md" }] }),
		{ file: { name: "a.md", content: "x" } },
	],
	[
		"the text of a card",
		postOf(idAt(5), {
			content: "",
			components: [{ type: 17, components: [{ type: 10, content: "hello" }] }],
		}),
		{ state: "done" as const },
	],
	[
		"the text of a card that an earlier version posted",
		postOf(idAt(5), { content: "hello" }),
		{ state: "done" as const },
	],
	[
		"the marker in a card",
		postOf(idAt(5), {
			content: "",
			components: [{ type: 17, components: [{ type: 10, content: "x · t7f2" }] }],
		}),
		{ marker: "t7f2", state: "waiting" as const },
	],
	[
		"a button in a card",
		postOf(idAt(5), {
			content: "",
			components: [{ type: 17, components: [{ type: 1, components: [{ type: 2, custom_id: "b1" }] }] }],
		}),
		{ buttons: ["b1"], state: "waiting" as const },
	],
	[
		"the text of a card that was sent without a container",
		postOf(idAt(5), { content: "hello" }),
		{ marker: "t7f2", state: "done" as const },
	],
	["clocks that differ a little", postOf(idAt(-9000)), {}],
	[
		"the text, written in another way",
		postOf(idAt(5), { content: "a ❤ b c" }),
		{ body: "a \u2764\uFE0F b  c\u2060" },
	],
	["the text, when what it answers was deleted", postOf(idAt(5)), { replyTo: "3" }],
	[
		"a file that Discord has named anew",
		postOf(idAt(5), { attachments: [{ filename: "My_Resume_1.md" }] }),
		{ upload: { fileId: "f", name: "_My Résumé (1).md", size: 3 } },
	],
	[
		"a file that has another name in another script",
		postOf(idAt(5), { attachments: [{ filename: "x7q.png" }] }),
		{ upload: { fileId: "f", name: "画像.png", size: 3 } },
	],
	[
		"the words in the place of a file that the gateway did not have",
		postOf(idAt(5), {
			content:
				"hello\n-# File not attached: a.md could not be read from the gateway. The operator can find the reason in the log.",
		}),
		{ upload: { fileId: "f", name: "a.md", size: 3 } },
	],
	[
		"the words in the place of a file that we may not attach",
		postOf(idAt(5), {
			content:
				"hello\n-# File not attached: I have no permission to attach files here. Ask an administrator to give me “Attach Files”.",
		}),
		{ file: { name: "a.md", content: "x" } },
	],
])("a post is found by %s", async (_name, message, payload) => {
	const { port, surface } = open();
	port.answer(list, { body: [postOf(idAt(6), { author: { id: "42" } }), message] });
	expect(await surface.find(row(payload))).toEqual({ remote: message.id });
	expect(port.requests[0]?.query).toEqual({ after: snowflakeAt(at - 10_000), limit: "100" });
});

test.each([
	["another one's", postOf(idAt(5), { author: { id: "42" } }), {}],
	["with another nonce", postOf(idAt(5), { nonce: "other" }), {}],
	["with other words", postOf(idAt(5), { content: "hello you" }), {}],
	["without the marker", postOf(idAt(5)), { marker: "t7f2" }],
	["to another message", postOf(idAt(5), { message_reference: { message_id: "4" } }), { replyTo: "3" }],
	["without its file", postOf(idAt(5)), { file: { name: "a.md", content: "x" } }],
	["made before", postOf(idAt(-60_000)), {}],
	[
		"with another file",
		postOf(idAt(5), { attachments: [{ filename: "b.md" }] }),
		{ file: { name: "a.md", content: "x" } },
	],
	["that answers another one", postOf(idAt(5), { message_reference: { message_id: "4" } }), {}],
])("a message %s is not the post", async (_name, message, payload) => {
	const { port, surface } = open();
	port.answer(list, { body: [message] });
	expect(await surface.find(row(payload))).toBeUndefined();
});

const cards: readonly { readonly name: string; readonly more: object; readonly refuses: boolean }[] = [
	{ name: "a container", more: {}, refuses: false },
	{
		name: "a row of buttons",
		more: { controls: [[{ type: "button", id: "b1", label: "Go", style: "primary" }]] },
		refuses: true,
	},
];

test.each(cards)(
	"a card keeps its identity in $name, and is found by it alone",
	async ({ more, refuses }) => {
		const { port, surface } = open();
		const card = (name: string): OutboxRow => ({
			...row({ state: "working", marker: "task id aaaaaa", ...more }, name),
			card: name,
		});
		const invalid = { status: 400, body: { code: 50_035, message: "Invalid Form Body" } };
		if (refuses) port.answer("POST /channels/10/messages", invalid, invalid);
		port.answer("POST /channels/10/messages", { body: { id: idAt(5) } });
		await surface.send(card("task:1"));
		const components = Object(port.requests.at(-1)?.body).components;
		const done = postOf(idAt(5), { content: refuses ? "Done" : "", components });
		if (!refuses) components[0].components[0].content = "Done";
		const [first, second, third] = [open(), open(), open()];
		for (const each of [first, second, third]) each.port.answer(list, { body: [done] });
		// The database of the first process is lost, so another row creates the card.
		expect(await first.surface.find({ ...card("task:1"), id: "x", nonce: "x" })).toEqual({ remote: idAt(5) });
		expect(await second.surface.find({ ...card("task:2"), ...{ id: "x", nonce: "x" } })).toBeUndefined();
		const same = { ...row({ state: "working", body: "Done", ...more }), card: "task:2" };
		expect(await third.surface.find(same)).toBeUndefined();
	},
);

test("an edit keeps the identity of a card", async () => {
	const { port, surface } = open();
	const card = { ...row({ state: "working" }), card: "task:1" };
	port.answer("POST /channels/10/messages", { body: { id: idAt(5) } });
	port.answer(`PATCH /channels/10/messages/${idAt(5)}`, { body: { id: idAt(5) } });
	await surface.send(card);
	await surface.send({ ...card, id: "later", nonce: "later", target: idAt(5) });
	const ids = port.requests.map(({ body }) => {
		const [container] = Object(body).components;
		return [container.id, container.components[0].id];
	});
	expect(ids[1]).toEqual(ids[0]);
	expect(ids[0]?.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31)).toBe(true);
});

test("a post of an earlier process for another row is not found", async () => {
	const { port, surface } = open({}, { [idAt(5)]: "s/first", [idAt(6)]: "s/second" });
	const both = { body: [postOf(idAt(6)), postOf(idAt(5))] };
	port.answer(list, both, both);
	expect(await surface.find(row({}, "second"))).toEqual({ remote: idAt(6) });
	expect(await surface.find(row({}, "third"))).toBeUndefined();
});

test.each([
	["nothing was ever written", null, [], undefined],
	["nothing was written since", idAt(-60_000), [], undefined],
	["the newest was deleted", idAt(5), [postOf(idAt(-60_000))], undefined],
])("an empty list proves that the post is missing if %s", async (_name, last, newest, found) => {
	const { port, surface } = open();
	port.answer(list, { body: [] }, { body: newest });
	port.answer("GET /channels/10", { body: { id: "10", last_message_id: last } });
	expect(await surface.find(row())).toBe(found);
});

test("an empty list proves nothing if the bot may not read the history", async () => {
	const { port, surface } = open();
	port.answer(list, { body: [] }, { body: [] });
	port.answer("GET /channels/10", { body: { id: "10", last_message_id: idAt(5) } });
	await expect(surface.find(row())).rejects.toMatchObject({
		kind: "rejected",
		message: expect.stringContaining('give the bot "Read Message History" in this channel'),
	});
});

test("two rows with the same text find their own messages", async () => {
	const { port, surface } = open();
	const both = { body: [postOf(idAt(6)), postOf(idAt(5))] };
	port.answer("POST /channels/10/messages", { body: { id: idAt(5) } });
	await surface.send(row({}, "first"));
	port.answer(list, both, both, both);
	expect(await surface.find(row({}, "second"))).toEqual({ remote: idAt(6) });
	expect(await surface.find(row({}, "third"))).toBeUndefined();
	expect(await surface.find(row({}, "second"))).toEqual({ remote: idAt(6) });
});

test("messages after the start of the attempt are searched page by page, up to a limit", async () => {
	const { port, surface } = open();
	const page = (from: number) =>
		Array.from({ length: 100 }, (_, n) => postOf(idAt(1, from + n), { content: "no" })).toReversed();
	port.answer(list, { body: page(0) }, { body: [postOf(idAt(9))] });
	expect(await surface.find(row())).toEqual({ remote: idAt(9) });
	expect(port.requests[1]?.query).toEqual({ after: idAt(1, 99), limit: "100" });
	for (let n = 0; n < 10; n++) port.answer(list, { body: page(n * 100) });
	await expect(surface.find(row())).rejects.toMatchObject({ kind: "rejected" });
	expect(port.requests).toHaveLength(12);
});

test.each([
	[{ status: 403, body: { code: 50_001 } }, "rejected"],
	[{ status: 503 }, "unknown"],
	[{ body: { not: "a list" } }, "unknown"],
])("if a search is impossible (%j), it is reported", async (answer, kind) => {
	const { port, surface } = open();
	port.answer(list, answer);
	await expect(surface.find(row())).rejects.toMatchObject({ kind });
});

test("posts of a task are searched in its thread, and threads are searched separately", async () => {
	const { port, surface } = open({ "task:1": "20" });
	port.answer("GET /channels/20/messages", { body: [postOf(idAt(5))] });
	expect(await surface.find(row({ thread: "task:1" }))).toEqual({ remote: idAt(5) });
	// The thread was locked when the post was sent.
	port.answer("GET /channels/20/messages", { body: [postOf(idAt(5), { content: "no" })] });
	port.answer(list, { body: [postOf(idAt(6))] });
	expect(await surface.find(row({ thread: "task:1" }, "next"))).toEqual({ remote: idAt(6) });
	const thread = { ...row(), payload: { type: "thread", card: "task:1", name: "a" } };
	expect(await surface.find(thread)).toEqual({ remote: "20" });
	port.answer("GET /channels/20", { status: 404, body: { code: 10_003 } });
	expect(await surface.find(thread)).toBeUndefined();
});

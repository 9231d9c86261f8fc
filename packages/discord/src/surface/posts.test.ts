import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { CardMessages, type Receipt } from "@parley/connector";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { Caller } from "./caller.ts";
import { PostChannels } from "./post-channels.ts";
import { type Post, Posts } from "./posts.ts";
import { RateLimits } from "./rate-limits.ts";

const noMentions = { parse: [], replied_user: false };
const nonce = "n".repeat(24);
const at = "POST /channels/10/messages";

function open() {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const caller = new Caller({ port, limits: new RateLimits(clock), clock, log });
	const places = new PostChannels(new CardMessages(async () => undefined, clock), clock);
	const posts = new Posts({ caller, places, log, read: async () => undefined });
	const row = { id: "s/1/0", nonce, conversation: "10", lane: "final", at: clock.now(), attempt: 1 } as const;
	const send = (more: Partial<Post>): Promise<Receipt> => {
		const post: Post = { type: "post", body: "hello", ...more };
		return posts.create({ ...row, payload: post }, post);
	};
	const edit = (more: Partial<Post>): Promise<Receipt> => {
		const post: Post = { type: "post", body: "hello", ...more };
		return posts.edit({ ...row, payload: post }, post, "77");
	};
	return { port, log, send, edit };
}

const refused = (status: number, code: number) => ({ status, body: { code, message: "Refused" } });

test("without the permission to reply, the answer is posted without a reference", async () => {
	const { port, send } = open();
	port.answer(at, refused(403, 160_002), { body: { id: "77" } });
	expect(await send({ replyTo: "5" })).toMatchObject({ remote: "77" });
	expect(port.last).toEqual({
		...{ content: "hello", components: [], flags: 4, allowed_mentions: noMentions },
		...{ nonce, enforce_nonce: true },
	});
});

test("without the permission to attach, only the text is posted, for the same nonce", async () => {
	const { port, send, log } = open();
	port.answer(at, refused(403, 50_013), { body: { id: "77" } });
	const file = { name: "answer.md", content: "é" };
	expect(await send({ file })).toMatchObject({ remote: "77" });
	const words =
		"hello\n-# File not attached: I have no permission to attach files here. Ask an administrator to give me “Attach Files”.";
	expect(port.requests[1]).toEqual({
		...{ method: "POST", path: "/channels/10/messages" },
		body: {
			content: words,
			components: [],
			flags: 4,
			allowed_mentions: noMentions,
			nonce,
			enforce_nonce: true,
		},
	});
	expect(log.records.map(({ level }) => level)).toEqual(["warn"]);
});

test("without the permissions to reply and to attach, only the text is posted without a reference, and without the permission to write the answer is not posted", async () => {
	const { port, send } = open();
	const file = { name: "answer.md", content: "é" };
	port.answer(at, refused(403, 50_013), refused(403, 160_002), { body: { id: "77" } });
	expect(await send({ file, replyTo: "5" })).toMatchObject({ remote: "77" });
	expect(port.last).not.toHaveProperty("message_reference.message_id");
	port.answer(at, refused(403, 50_013), refused(403, 50_013));
	await expect(send({ file })).rejects.toMatchObject({ kind: "rejected" });
	expect(port.requests).toHaveLength(5);
});

const zip = { name: "report.zip", content: "x".repeat(3 * 1024 * 1024) };
const tooLarge =
	"hello\n-# The file report.zip (3 MB) is too large for this Discord channel. Ask the operator for it, or ask me to split it.";

test.each([
	["Discord", refused(413, 40_005)],
	["a proxy", { status: 413, body: "too large" }],
])(
	"a file that %s refuses as too large is named in the post with advice, for the same nonce",
	async (_, posted) => {
		const { port, send } = open();
		port.answer(at, posted, { body: { id: "77" } });
		expect(await send({ file: zip })).toMatchObject({ remote: "77" });
		expect(port.requests).toHaveLength(2);
		expect(port.last).toMatchObject({ content: tooLarge, nonce, enforce_nonce: true });
		expect(port.requests[1]).not.toHaveProperty("files");
	},
);

test("a new file in an edit that Discord refuses is named in the post", async () => {
	const { port, edit } = open();
	port.answer("PATCH /channels/10/messages/77", refused(413, 40_005), { body: { id: "77" } });
	await edit({ file: zip });
	expect(port.last).toMatchObject({ content: tooLarge, attachments: [] });
});

test.each([50_035, 200_000])(
	"a card that Discord refuses with %d is posted plain with its buttons, then without them",
	async (code) => {
		const controls = [[{ type: "button", id: "b", label: "Deny", style: "danger" } as const]];
		for (const times of [1, 2]) {
			const { port, send } = open();
			port.answer(at, ...Array.from({ length: times }, () => refused(400, code)), { body: { id: "77" } });
			expect(await send({ plain: "`bash`: use `/approvals`", controls })).toMatchObject({ remote: "77" });
			expect(port.requests).toHaveLength(times + 1);
			expect(port.last).toMatchObject({ content: "`bash`: use `/approvals`", nonce, enforce_nonce: true });
			expect(JSON.stringify(port.last).includes("Deny")).toBe(times === 1);
		}
	},
);

const id = expect.any(Number);
const container = (content: string, accent_color: number | null, ...rows: object[]) => ({
	...{ allowed_mentions: noMentions, flags: 1 << 15 },
	components: [{ type: 17, id, accent_color, components: [{ type: 10, id, content }, ...rows] }],
});
const go = { type: "button", id: "b", label: "Go", style: "primary" } as const;
const card = { state: "waiting" as const, controls: [[go]] };
const row = { type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "b" }] };

test("a card is a container with a color, and has no mentions", async () => {
	const { port, send } = open();
	port.answer(at, { body: { id: "77" } });
	await send(card);
	expect(port.last).toEqual({ ...container("hello", 0xf0b232, row), nonce, enforce_nonce: true });
});

test("the edit of a card removes the text of a message that an earlier version posted", async () => {
	const { port, edit } = open();
	port.answer("GET /channels/10/messages/77", { body: { id: "77" } });
	port.answer("PATCH /channels/10/messages/77", { body: { id: "77" } });
	await edit({ state: "done" });
	expect(port.last).toEqual({
		...container("hello", 0x23a55a),
		content: null,
		embeds: null,
		attachments: [],
	});
});

test("a card that Discord refuses as a container is posted as text", async () => {
	const { port, send } = open();
	port.answer(at, refused(400, 50_035), refused(400, 50_035), { body: { id: "77" } });
	await send({ ...card, body: "é".repeat(2500) });
	expect(port.requests).toHaveLength(3);
	expect(port.last).toMatchObject({ content: `${"é".repeat(1995)}…`, components: [row], flags: 4 });
});

test("text in place of a card is shown in a container, because the flag cannot be removed", async () => {
	const { port, edit } = open();
	port.answer("GET /channels/10/messages/77", { body: { id: "77" } });
	port.answer("PATCH /channels/10/messages/77", refused(400, 50_035), { body: { id: "77" } });
	await edit({});
	const components = [{ type: 17, accent_color: null, components: [{ type: 10, content: "hello" }] }];
	expect(port.last).toMatchObject({ flags: 1 << 15, components, content: null });
});

test("an answer in a thread does not refer to the message that began it", async () => {
	const { port, send } = open();
	await send({ replyTo: "10" });
	expect(port.last).not.toHaveProperty("message_reference");
});

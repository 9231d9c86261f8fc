import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { DeliveryError, type OutboxRow, type Posting } from "@parley/connector";
import { expect, test } from "vitest";
import { MemoryNames } from "../testing/memory-names.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import type { DiscordRequest, DiscordResponse } from "../vocabulary/discord-port.ts";
import { discordSurface } from "./discord-surface.ts";
import { Tickets } from "./private-answers.ts";

const noMentions = { parse: [], replied_user: false };

function open(cards: Record<string, string> = {}) {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const tickets = new Tickets();
	const files: Record<string, Uint8Array | ParleyError> = {};
	const surface = discordSurface({
		names: new MemoryNames(),
		...{ port, clock, log, tickets, self: { user: "500", application: "501" } },
		cards: async (card) => cards[card],
		ownerOf: async () => undefined,
		readFile: async (id) => {
			const file = files[id] ?? new ParleyError("no such file", { code: "not_found" });
			if (file instanceof ParleyError) throw file;
			return file;
		},
	});
	const row = (payload: Posting, more: Partial<OutboxRow> = {}): OutboxRow => ({
		...{ id: "s/1/0", nonce: "n".repeat(24), conversation: "10", lane: "final", at: clock.now(), attempt: 1 },
		...more,
		payload,
	});
	return { clock, port, log, tickets, files, cards, surface, row };
}

const post = (more: Partial<Extract<Posting, { type: "post" }>> = {}): Posting => ({
	...{ type: "post", body: "hello", ...more },
});
const refused = (status: number, code: number, message = "Refused") => ({ status, body: { code, message } });

test("a post mentions no person, shows no previews, and is created once for its nonce", async () => {
	const { port, surface, row } = open();
	port.answer("POST /channels/10/messages", { body: { id: "77" } });
	expect(await surface.send(row(post({ replyTo: "5" })))).toMatchObject({ remote: "77" });
	expect(port.requests).toEqual([
		{
			...{ method: "POST", path: "/channels/10/messages" },
			body: {
				...{ content: "hello", components: [], flags: 4, allowed_mentions: noMentions },
				...{ nonce: "n".repeat(24), enforce_nonce: true },
				message_reference: { message_id: "5", fail_if_not_exists: false },
			},
		},
	]);
});

test("files are posted with their text alternatives", async () => {
	const { port, surface, row, files } = open();
	files["f"] = new Uint8Array([1]);
	const upload = { fileId: "f", name: "a.png", size: 1, alt: "A cat" };
	await surface.send(row(post({ upload, file: { name: "answer.md", content: "é" } })));
	expect(port.requests[0]?.files?.map(({ name, bytes }) => [name, bytes.length])).toEqual([
		...[["answer.md", 2] as const, ["a.png", 1] as const],
	]);
	expect(port.last).toMatchObject({
		attachments: [
			{ id: "0", filename: "answer.md", description: "The complete text: answer.md" },
			{ id: "1", filename: "a.png", description: "A cat" },
		],
	});
});

test("a missing file does not block the text; while the gateway is unavailable, the post waits", async () => {
	const { port, surface, row, files } = open();
	const upload = { fileId: "f", name: "a.png", size: 1 };
	files["f"] = new ParleyError("away", { code: "unavailable" });
	await expect(surface.send(row(post({ upload })))).rejects.toMatchObject({ kind: "rate-limited" });
	delete files["f"];
	await surface.send(row(post({ upload })));
	expect(port.last).toMatchObject({
		content:
			"hello\n-# File not attached: a.png could not be read from the gateway. The operator can find the reason in the log.",
	});
	await surface.send(row(post({ upload: { ...upload, size: 11 * 1024 * 1024 } })));
	expect(port.last).toMatchObject({
		content: expect.stringContaining("The file a.png (11 MB) is too large for Discord (maximum 10 MB)."),
	});
	expect(port.requests).toHaveLength(2);
});

test("an edit mentions no person either, removes the buttons, and keeps the attachments", async () => {
	const { port, surface, row } = open();
	port.answer("POST /channels/10/messages", { body: { id: "77", attachments: [{ id: "8" }] } });
	await surface.send(row(post()));
	await surface.send(row(post({ body: "done" }), { target: "77" }));
	expect(port.requests[1]).toEqual({
		...{ method: "PATCH", path: "/channels/10/messages/77" },
		body: {
			content: "done",
			components: [],
			flags: 4,
			allowed_mentions: noMentions,
			attachments: [{ id: "8" }],
		},
	});
	// Another process has created the message, so its attachments are unknown.
	port.answer("GET /channels/10/messages/66", { body: { id: "66", attachments: [{ id: "9" }] } });
	await surface.send(row(post(), { target: "66" }));
	expect(port.requestLines.slice(2)).toEqual([
		"GET /channels/10/messages/66",
		"PATCH /channels/10/messages/66",
	]);
	expect(port.last).toMatchObject({ attachments: [{ id: "9" }] });
});

test("an edit in an archived thread opens it first", async () => {
	const { port, surface, row } = open({ "task:1": "20" });
	const edit = "PATCH /channels/20/messages/77";
	port.answer("GET /channels/20/messages/77", { body: { id: "77" } });
	port.answer(edit, refused(400, 50_083), { body: { id: "77" } });
	const conversation = "10#task:1";
	expect(await surface.send(row(post({ thread: "task:1" }), { target: "77", conversation }))).toMatchObject({
		remote: "77",
	});
	expect(port.requestLines).toEqual(["GET /channels/20/messages/77", edit, "PATCH /channels/20", edit]);
	expect(port.requests[2]?.body).toEqual({ archived: false });
});

test("a thread is opened below its card, once", async () => {
	const { port, surface, row } = open({ "task:1": "20" });
	const thread: Posting = { type: "thread", card: "task:1", name: "x".repeat(120) };
	const conversation = "10#task:1";
	expect(await surface.send(row(thread, { conversation }))).toMatchObject({ remote: "20" });
	expect(port.requests[0]).toMatchObject({
		...{ method: "POST", path: "/channels/10/messages/20/threads" },
		body: { name: `${"x".repeat(99)}…`, auto_archive_duration: 10_080 },
	});
	port.answer("POST /channels/10/messages/20/threads", refused(400, 160_004));
	expect(await surface.send(row(thread, { conversation }))).toEqual({ remote: "20" });
});

test.each([160_006, 50_024, 50_013])(
	"without a possible thread (%d), the posts go to the channel",
	async (code) => {
		const { port, surface, row } = open({ "task:1": "20" });
		const conversation = "10#task:1";
		port.answer("POST /channels/10/messages/20/threads", refused(400, code));
		await surface.send(row({ type: "thread", card: "task:1", name: "a task" }, { conversation }));
		await surface.send(row(post({ thread: "task:1" }), { conversation }));
		expect(port.requestLines.at(-1)).toBe("POST /channels/10/messages");
	},
);

test("posts that a locked thread refuses go to the channel", async () => {
	const { port, surface, row } = open({ "task:1": "20" });
	port.answer("POST /channels/20/messages", refused(403, 160_005));
	port.answer("PATCH /channels/20", refused(403, 50_013));
	await surface.send(row(post({ thread: "task:1" }), { conversation: "10#task:1" }));
	expect(port.requestLines).toEqual([
		"POST /channels/20/messages",
		"PATCH /channels/20",
		"POST /channels/10/messages",
	]);
});

test.each([
	["archived", 400, 50_083],
	["active", 403, 160_005],
])("an edit in a locked, %s thread waits until the thread is open", async (_, status, code) => {
	const { port, surface, row } = open();
	const edit = "PATCH /channels/10/messages/77";
	port.answer("GET /channels/10/messages/77", { body: { id: "77" } });
	port.answer(edit, refused(status, code));
	port.answer("PATCH /channels/10", refused(403, 50_013));
	await expect(surface.send(row(post(), { target: "77" }))).rejects.toMatchObject({
		kind: "closed",
		message: expect.stringContaining("Manage Threads"),
	});
	expect(port.requestLines.slice(1)).toEqual([edit, "PATCH /channels/10"]);
});

test("a locked thread that the bot may open is archived again after the complete answer", async () => {
	const { port, surface, row } = open();
	const [edit, change] = ["PATCH /channels/10/messages/77", "PATCH /channels/10"];
	port.answer("GET /channels/10/messages/77", { body: { id: "77" } });
	port.answer(edit, refused(400, 50_083), { body: { id: "77" } }, { body: { id: "77" } });
	port.answer(change, { body: { thread_metadata: { locked: true } } }, refused(500, 0));
	await surface.send(row(post({ live: true }), { target: "77" }));
	expect(port.requestLines.slice(1)).toEqual([edit, change, edit]);
	expect(await surface.send(row(post(), { target: "77" }))).toMatchObject({ remote: "77" });
	expect(port.requestLines.slice(4)).toEqual([edit, change]);
	expect(port.last).toEqual({ archived: true });
});

test("a locked thread is not archived again while another request in it runs", async () => {
	const { port, surface, row } = open();
	const change = "PATCH /channels/10";
	let archived = true;
	const edited = (): Partial<DiscordResponse> => (archived ? refused(400, 50_083) : { body: { id: "77" } });
	const changed = ({ body }: DiscordRequest): Partial<DiscordResponse> => {
		({ archived } = Object(body));
		return { body: { thread_metadata: { locked: true } } };
	};
	const send = (target: string) => surface.send(row(post(), { target }));
	port.answer(change, changed, changed, changed, changed);
	port.answer("PATCH /channels/10/messages/77", edited, edited);
	port.answer("PATCH /channels/10/messages/78", edited, async () => {
		await first;
		return edited();
	});
	const first = send("77");
	await Promise.all([first, send("78")]);
	expect(port.requestLines.filter((line) => line === change)).toHaveLength(3);
	expect(archived).toBe(true);
});

test("a post waits a minute for its thread, and then goes to the channel", async () => {
	const { port, surface, row, cards, clock } = open();
	const urgent = row(post({ thread: "task:1" }), { conversation: "10#task:1" });
	const refuse = () => port.answer("POST /channels/20/messages", refused(404, 10_003));
	await expect(surface.send(urgent)).rejects.toMatchObject({ kind: "rate-limited", limit: undefined });
	cards["task:1"] = "20";
	refuse();
	await expect(surface.send(urgent)).rejects.toMatchObject({ kind: "rate-limited" });
	await surface.send(urgent);
	expect(port.requestLines.at(-1)).toBe("POST /channels/20/messages");
	clock.advance(60_000);
	refuse();
	await surface.send(urgent);
	expect(port.requestLines.slice(-2)).toEqual(["POST /channels/20/messages", "POST /channels/10/messages"]);
});

test.each([
	["a channel", { tenant: "3", channel: "10" }, "https://discord.com/channels/3/10/20"],
	["a thread", { tenant: "3", channel: "10", thread: "11" }, "https://discord.com/channels/3/11/20"],
	["direct messages", { tenant: "dm", channel: "10" }, "https://discord.com/channels/@me/10/20"],
])("a post that notifies a person can have a button to a card in %s", async (_where, room, url) => {
	const { port, surface, row } = open({ "task:1": "20" });
	const opens = { card: "task:1", label: "Open the card", room };
	await surface.send(row(post({ mentions: ["42"], opens })));
	expect(port.requests.at(-1)?.body).toMatchObject({
		content: "<@42> hello",
		allowed_mentions: { ...noMentions, users: ["42"] },
		components: [{ type: 1, components: [{ type: 2, style: 5, label: "Open the card", url }] }],
	});
	await surface.send(row(post({ opens: { ...opens, card: "task:2" } })));
	expect(port.requests.at(-1)?.body).toMatchObject({ components: [] });
});

test("a notice mentions only its people and roles", async () => {
	const { port, surface, row } = open();
	await surface.send(row(post({ mentions: ["42"], mentionedRoles: ["43"] })));
	expect(port.requests.at(-1)?.body).toMatchObject({
		content: "<@42> <@&43> hello",
		allowed_mentions: { ...noMentions, users: ["42"], roles: ["43"] },
	});
});

const answer = (more: object = {}): Posting => ({
	...{
		type: "private",
		body: "done",
		expiresAt: Date.UTC(2026, 0, 1) + 1000,
		ticket: { id: "9", token: "tok" },
	},
	...more,
});
const original = "/webhooks/501/tok/messages/@original";

test("a private answer replaces the deferred response without the bot's token, and is not sent before that response", async () => {
	const { port, surface, row, tickets, clock } = open();
	const deferred = Promise.withResolvers<void>();
	tickets.open("9", deferred.promise);
	const sent = surface.send(row(answer(), { conversation: "ticket:9" }));
	await Promise.resolve();
	expect(port.requests).toEqual([]);
	deferred.resolve();
	await sent;
	expect(port.requests).toEqual([
		{
			...{ method: "PATCH", path: original, authorized: false },
			body: { content: "done", components: [], flags: 4, allowed_mentions: noMentions },
		},
	]);
	clock.advance(1000);
	await expect(surface.send(row(answer()))).rejects.toMatchObject({ kind: "gone" });
});

test("a private answer without text removes the deferred one", async () => {
	const { port, surface, row } = open();
	expect(await surface.send(row(answer({ body: "" })))).toEqual({ remote: "9" });
	expect(port.requestLines).toEqual([`DELETE ${original}`]);
});

test("an existing private answer is found", async () => {
	const { port, surface, row } = open();
	port.answer(`GET ${original}`, { body: { id: "3", content: "" } }, { body: { id: "3", content: "done" } });
	expect(await surface.find(row(answer()))).toBeUndefined();
	expect(await surface.find(row(answer()))).toEqual({ remote: "3" });
});

test("deleting a missing message succeeds", async () => {
	const { port, surface, row } = open();
	const refusal = refused(404, 10_008);
	port.answer(`GET ${original}`, refusal, { body: { id: "3", content: "" } }, refusal);
	expect(await surface.find(row(answer({ body: "" })))).toEqual({ remote: "9" });
	expect(await surface.find(row(answer({ body: "" })))).toBeUndefined();
	await expect(surface.find(row(answer()))).rejects.toMatchObject({ kind: "gone" });
});

test.each([
	[refused(400, 50_035, "Invalid Form Body"), "rejected", "Discord answered 400: Invalid Form Body (50035)"],
	[refused(403, 50_001), "rejected", "(50001)"],
	[refused(403, 50_007), "rejected", "(50007)"],
	[refused(403, 50_013), "rejected", "(50013)"],
	[refused(404, 10_003), "gone", "(10003)"],
	[refused(404, 10_008), "gone", "(10008)"],
	[{ status: 502, body: null }, "unknown", "Discord answered 502: no reason given"],
	[{ status: 200, body: "?" }, "unknown", "Discord's response contains no message id"],
	[new Error("socket hang up"), "unknown", "internal"],
])("an answer of %j is %s", async (errorText, kind, message) => {
	const { port, surface, row } = open();
	port.answer("POST /channels/10/messages", errorText);
	const shown = message === "internal" ? expect.any(String) : expect.stringContaining(message);
	await expect(surface.send(row(post()))).rejects.toMatchObject({ kind, message: shown });
});

test("a refused token is logged, and not used for a minute", async () => {
	const { port, surface, row, log, clock } = open();
	port.answer("POST /channels/10/messages", { status: 401, body: { code: 0 } });
	for (const _ of [1, 2]) await expect(surface.send(row(post()))).rejects.toMatchObject({ kind: "unknown" });
	expect(port.requests).toHaveLength(1);
	expect(log.records.map(({ level }) => level)).toEqual(["error"]);
	clock.advance(60_000);
	await surface.send(row(post()));
});

const limited = { status: 429, headers: {}, body: { message: "slow down", retry_after: 2, global: false } };

test.each<[string, string, Posting, Partial<OutboxRow>]>([
	["post", "POST /channels/10/messages", post(), {}],
	["edit", "PATCH /channels/10/messages/77", post(), { target: "77" }],
	["edit that has to read first", "GET /channels/10/messages/77", post(), { target: "77" }],
	[
		"post in a thread",
		"POST /channels/20/messages",
		post({ thread: "task:1" }),
		{ conversation: "10#task:1" },
	],
	["thread", "POST /channels/10/messages/20/threads", { type: "thread", card: "task:1", name: "a" }, {}],
	["private answer", `PATCH ${original}`, answer(), { conversation: "ticket:9" }],
])(
	"a %s that is temporarily refused waits for a bucket that applies to it",
	async (_n, at, payload, more) => {
		const { port, surface, row } = open({ "task:1": "20" });
		port.answer(at, limited);
		const sent = row(payload, more);
		const { conversation, lane, target } = sent;
		const error = await surface.send(sent).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		expect(error).toMatchObject({ kind: "rate-limited", limit: { retryAfterMs: 2000 } });
		const scopes = surface.scopes({ conversation, lane, edits: target !== undefined });
		expect(error instanceof DeliveryError && scopes.includes(error.limit?.scope ?? "")).toBe(true);
	},
);

test("a row without a valid payload is refused, and no request is made", async () => {
	const { port, surface, row } = open();
	await expect(surface.send({ ...row(post()), payload: { type: "poem" } })).rejects.toMatchObject({
		kind: "rejected",
	});
	await expect(surface.send(row(post({ body: " " })))).rejects.toMatchObject({ kind: "rejected" });
	expect(port.requests).toEqual([]);
});

test("typing is shown in channels, unless the bot cannot write there", async () => {
	const { port, surface, clock } = open();
	await surface.typing("10#task:1");
	await surface.typing("ticket:9");
	port.answer("POST /channels/11/typing", refused(403, 50_001));
	await expect(surface.typing("11")).rejects.toMatchObject({ kind: "rejected" });
	await surface.typing("11");
	expect(port.requestLines).toEqual(["POST /channels/10/typing", "POST /channels/11/typing"]);
	clock.advance(600_000);
	await surface.typing("11");
	expect(port.requests).toHaveLength(3);
});

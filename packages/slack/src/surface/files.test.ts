import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { OutboxRow } from "@parley/connector";
import { expect, test } from "vitest";
import { ok, refused, ScriptedPort } from "../testing/scripted-slack.ts";
import { slackSurface } from "./slack-surface.ts";

const nonce = "n".repeat(24);
const self = { team: "T1", user: "U0", bot: "B0", name: "parley", url: "https://acme.slack.com/" };
const file = { name: "answer.md", content: "é" };
const post = { type: "post", body: "hello", file };
const marked = { metadata: { event_type: "parley_post", event_payload: { nonce } } };
const posted = { ts: "1700000003.000100", user: "U0", ...marked };
const shared = {
	ts: "1700000004.000100",
	user: "U0",
	files: [{ name: "answer.md", title: "answer.md", size: 2 }],
};

function open() {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const stored = new Map<string, Uint8Array>();
	const surface = slackSurface({
		...{ port, self, clock, log, cards: async () => undefined },
		readFile: async (id) => stored.get(id) ?? Promise.reject(new Error(`no ${id}`)),
	});
	const row = (payload: unknown, more: Partial<OutboxRow> = {}): OutboxRow => ({
		id: "s/1/0",
		nonce,
		conversation: "T1/C1",
		lane: "final",
		at: clock.now(),
		attempt: 1,
		payload,
		...more,
	});
	return { clock, port, log, stored, surface, row };
}

test("a post with a missing file is completed, and neither of them is posted twice", async () => {
	const { surface, port, row } = open();
	port.answer("files.completeUploadExternal", new Error("timed out"));
	await expect(surface.send(row(post))).rejects.toMatchObject({ kind: "unknown" });
	port.answer("conversations.history", ok({ messages: [posted] }), ok({ messages: [posted] }));
	expect(await surface.find(row(post))).toBeUndefined();
	port.calls.length = 0;
	port.answer("conversations.history", ok({ messages: [posted] }));
	expect(await surface.send(row(post, { attempt: 2 }))).toMatchObject({ remote: "C1-1700000003.000100" });
	expect(port.methods).not.toContain("chat.postMessage");
	expect(port.methods.filter((method) => method === "files.completeUploadExternal")).toHaveLength(1);
});

test("a post is found together with its file, and an older file of that name is ignored", async () => {
	const { surface, port, row } = open();
	const older = { ...shared, ts: "1700000002.000100" };
	port.answer("conversations.history", ok({ messages: [posted, older] }), ok({ messages: [posted, older] }));
	expect(await surface.find(row(post))).toBeUndefined();
	port.answer(
		"conversations.history",
		ok({ messages: [shared, posted] }),
		ok({ messages: [shared, posted] }),
	);
	expect(await surface.find(row(post))).toEqual({ remote: "C1-1700000003.000100" });
});

test("a post with a file is searched before another attempt", async () => {
	const { surface, port, row } = open();
	await surface.send(row(post, { attempt: 2 }));
	expect(port.methods).toEqual([
		...["conversations.history", "files.getUploadURLExternal", "upload", "chat.postMessage"],
		"files.completeUploadExternal",
	]);
});

test("an edit shares its file once, even if it is repeated", async () => {
	const { surface, port, row } = open();
	const edit = row(post, { target: "C1-1700000003.000100" });
	await surface.send(edit);
	port.answer("conversations.history", ok({ messages: [shared] }));
	await surface.send(edit);
	expect(port.methods.filter((method) => method === "chat.update")).toHaveLength(2);
	expect(port.methods.filter((method) => method === "files.completeUploadExternal")).toHaveLength(1);
});

test("without the permission to share files, the text is posted and lists them", async () => {
	const { surface, port, row, log } = open();
	port.answer("files.getUploadURLExternal", refused("missing_scope", { needed: "files:write" }));
	await surface.send(row(post));
	expect(port.last?.["text"]).toBe(
		"hello\n\nFile not attached: I have no permission to share files here: ask an administrator for this permission.",
	);
	expect(JSON.stringify(log.records)).toContain("files:write");
	port.answer("files.completeUploadExternal", refused("not_in_channel"));
	await surface.send(row(post));
	expect(port.methods.slice(-3)).toEqual(["chat.postMessage", "files.completeUploadExternal", "chat.update"]);
	expect(port.last?.["text"]).toContain("File not attached");
});

test.each([
	["file_uploads_disabled", "this workspace does not allow files: ask an administrator to allow them"],
	["file_type_not_allowed", "files of this type are not allowed here: ask an administrator to allow them"],
	[
		"something_else",
		"Slack refused the upload (something_else): the operator can find the reason in the log",
	],
])("after the error %s, the text has the reason for the missing file", async (word, why) => {
	const { surface, port, row } = open();
	port.answer("files.getUploadURLExternal", refused(word));
	await surface.send(row(post));
	const text = String(port.last?.["text"]).replaceAll("\u2060", "");
	expect(text).toBe(`hello\n\nFile not attached: ${why}.`);
});

test.each([
	["files.getUploadURLExternal", "file_upload_size_restricted"],
	["upload", "status_413"],
	["files.completeUploadExternal", "file_upload_size_restricted"],
])("a file that %s refuses with %s is named in the post with its size and advice", async (step, word) => {
	const { surface, port, row, stored } = open();
	stored.set("f1", new Uint8Array(3 * 1024 * 1024));
	port.answer(step, refused(word));
	await surface.send(
		row({ type: "post", body: "hello", upload: { fileId: "f1", name: "report.zip", size: 3 } }),
	);
	expect(String(port.last?.["text"])).toBe(
		"hello\n\nThe file report.zip (3 MB) is too large for this workspace. Ask the operator for it, or ask me to split it.",
	);
	expect(port.methods.filter((method) => method === "chat.postMessage")).toHaveLength(1);
});

test("a card that Slack refuses is posted plain with its buttons, then without them", async () => {
	const { surface, port, row, clock } = open();
	const controls = [[{ type: "button", id: "b", label: "Deny", style: "danger" }]];
	const card = { type: "post", body: "all of it", plain: "`bash`: use `/parley approvals`", controls };
	for (const times of [1, 2]) {
		// The connector allows three posts in three seconds. Two other posts leave one for the first attempt.
		if (times === 1) for (const _ of [1, 2]) await surface.send(row({ type: "post", body: "hello" }));
		else clock.advance(60_000);
		port.calls.length = 0;
		port.answer("chat.postMessage", ...Array.from({ length: times }, () => refused("invalid_blocks")));
		expect(await surface.send(row(card))).toHaveProperty("remote");
		expect(port.methods).toEqual(Array.from({ length: times + 1 }, () => "chat.postMessage"));
		expect(port.last?.["text"]).toBe("`bash`: use `/parley approvals`");
		expect(JSON.stringify(port.last?.["blocks"]).includes("Deny")).toBe(times === 1);
	}
});

test("an empty or too large file is listed, and the other files are shared", async () => {
	const { surface, port, row, stored } = open();
	stored.set("f1", new Uint8Array(0));
	for (const [size, why] of [
		[0, "empty, and Slack does not accept empty files."],
		[
			51 * 1024 * 1024,
			"too large for Slack (maximum 50 MB). Ask the operator for it, or ask me to split it.",
		],
	] as const) {
		port.calls.length = 0;
		const posting = { ...post, upload: { fileId: "f1", name: "a.csv", size } };
		await surface.send(row(posting));
		const postedArgs = port.calls.find(({ method }) => method === "chat.postMessage")?.args;
		expect(postedArgs?.["text"]).toMatch(/a\.csv /);
		expect(postedArgs?.["text"]).toContain(`is ${why}`);
		expect(port.methods.at(-1)).toBe("files.completeUploadExternal");
		port.answer(
			"conversations.history",
			ok({ messages: [posted, shared] }),
			ok({ messages: [posted, shared] }),
		);
		expect(await surface.find(row(posting))).toEqual({ remote: "C1-1700000003.000100" });
	}
});

test("while Slack accepts no files, the post waits", async () => {
	const { surface, port, row } = open();
	port.answer("files.getUploadURLExternal", new Error("timed out"));
	const waits = { kind: "rate-limited", limit: { scope: "T1/C1", retryAfterMs: 10_000 } };
	await expect(surface.send(row(post))).rejects.toMatchObject(waits);
	expect(port.methods).not.toContain("chat.postMessage");
});

test("an upload address that is missing in Slack's response is reported with the name of the file", async () => {
	const { surface, port, row } = open();
	port.answer("files.getUploadURLExternal", ok({}));
	await expect(surface.send(row(post))).rejects.toThrow(
		`cannot upload the file ${file.name}: Slack's response contains no upload address`,
	);
});

test("a file of the gateway is shared by its name, and a deleted one is listed", async () => {
	const { surface, port, row, stored } = open();
	const upload = { fileId: "f1", name: "chart.png", size: 3, alt: "A chart" };
	stored.set("f1", new Uint8Array(3));
	await surface.send(row({ type: "post", body: "", upload }));
	expect(port.calls[0]?.args).toEqual({ filename: "chart.png", length: 3, alt_txt: "A chart" });
	expect(port.calls[2]?.args).toMatchObject({ text: "chart.png" });
	stored.clear();
	await surface.send(row({ type: "post", body: "", upload: { ...upload, fileId: "f2" } }));
	expect(port.methods.slice(4)).toEqual(["chat.postMessage"]);
	expect(port.last?.["text"]).toBe(
		"File not attached: chart.png could not be read from the gateway. The operator can find the reason in the log.",
	);
});

test("only an image has a description, within the limit", async () => {
	const { surface, port, row, stored } = open();
	stored.set("f1", new Uint8Array(3));
	for (const [name, described] of [
		["a.PNG", true],
		["a.csv", false],
		["png", false],
	] as const) {
		port.calls.length = 0;
		const upload = { fileId: "f1", name, size: 3, alt: "x".repeat(1200) };
		await surface.send(row({ ...post, upload }));
		const uploads = port.calls.filter(({ method }) => method === "files.getUploadURLExternal");
		expect(uploads.map(({ args }) => "alt_txt" in args)).toEqual([false, described]);
		if (described) expect(String(uploads[1]?.args["alt_txt"])).toHaveLength(1000);
	}
});

test("a text that is too long for blocks becomes its beginning, and a file with the complete text", async () => {
	const { surface, port, row } = open();
	await surface.send(row({ type: "post", body: "word ".repeat(4000) }));
	const message = port.calls.find(({ method }) => method === "chat.postMessage")?.args;
	expect(message?.["text"]).toMatch(/^word .*The complete text is in answer\.md\./s);
	expect(port.last?.["files"]).toEqual([{ id: "F900", title: "answer.md" }]);
});

const snippets = [{ name: "code-1.py", content: "print(1)", language: "python" }];
const upload = "files.getUploadURLExternal";

test("code is uploaded as a snippet of its language, and as a usual file if Slack refuses the language", async () => {
	const { surface, port, row } = open();
	await surface.send(row({ type: "post", body: "Look", snippets }));
	const uploads = () => port.calls.filter(({ method }) => method === upload).map(({ args }) => args);
	expect(uploads()).toEqual([{ filename: "code-1.py", length: 8, snippet_type: "python" }]);
	port.answer(upload, refused("unknown_snippet_type"));
	await surface.send(row({ type: "post", body: "Look", snippets }, { id: "s/2/0" }));
	expect(uploads().at(-1)).toEqual({ filename: "code-1.py", length: 8 });
});

test("code whose file Slack refuses stays in the text", async () => {
	const { surface, port, row } = open();
	port.answer(upload, refused("restricted_action"), refused("restricted_action"));
	await surface.send(row({ type: "post", body: "Look", snippets }));
	const { args } = port.calls.find(({ method }) => method === "chat.postMessage") ?? {};
	expect(args?.["text"]).toMatch(/Look.*print\(1\).*not attached/s);
});

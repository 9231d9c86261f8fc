import { setImmediate } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test as plainTest } from "vitest";
import type { Key } from "../terminal/editor.ts";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { Chat } from "./chat.ts";
import { Keyboard } from "./keyboard.ts";

class Table {
	readonly client = new FakeClient();
	readonly session: FakeSession;
	readonly next = new FakeSession("sess_2");
	readonly rows: string[] = [];
	readonly chat: Chat;
	readonly keyboard: Keyboard;
	readonly over: Promise<void>;

	constructor(session = new FakeSession("sess_1"), asksForTasks = true) {
		this.session = session;
		this.chat = new Chat({
			client: this.client,
			session,
			clock: new ManualClock(),
			openNew: async () => this.next,
			openExisting: async (id) => new FakeSession(id, "resumed", 5),
			listFiles: async () => ["src/app.ts"],
			format: () => ({ columns: 60, styles: createStyles(false) }),
			show: (rows) => this.rows.push(...rows),
			asksForTasks,
			offersRules: true,
			shellLines: "run",
			text: "plain",
		});
		this.keyboard = new Keyboard(this.chat);
		this.over = this.chat.read();
		// A test awaits `over` later. Without a handler, an early rejection would end the process.
		this.over.catch(() => undefined);
	}

	/** Presses the keys, then runs all pending work that needs no external event. */
	async press(...keys: readonly Partial<Key>[]): Promise<void> {
		for (const key of keys) {
			void this.keyboard.press({ text: "", name: "", ctrl: false, meta: false, ...key });
			this.keyboard.focus();
		}
		await this.settle();
	}

	async type(line: string): Promise<void> {
		await this.press(...[...line].map((text) => ({ text })), { name: "return" });
	}

	async settle(): Promise<void> {
		await setImmediate();
		this.keyboard.focus();
	}
}

const ctrlC = { name: "c", ctrl: true };
const ctrlD = { name: "d", ctrl: true };

const test = plainTest.extend<{ table: Table }>({
	// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
	table: async ({}, use) => use(new Table()),
});

const running = { content: "go", run_id: "run" };

test("sends a line to the session once", async ({ table }) => {
	await table.type("hello");
	expect(table.client.requests).toMatchObject([
		{ method: "send_message", params: { content: "hello" }, sessionId: "sess_1" },
	]);
	expect(table.chat.conversation.sending).toEqual(["hello"]);
});

test("prints the reason for a refused message, and stops waiting for it", async ({ table }) => {
	await table.type("hello");
	table.client.last("send_message").refuse(new ParleyError("session busy", { code: "resource_exhausted" }));
	await table.settle();
	expect(table.rows).toEqual(["session busy"]);
	expect(table.chat.conversation.idle).toBe(true);
});

test("Ctrl-C cancels the running turn once", async ({ table }) => {
	table.session.happens("user.message", running);
	await table.settle();
	await table.press(ctrlC);
	table.client.last("cancel_turn").answer({ status: "cancelled" });
	await table.settle();
	expect(table.keyboard.notice).toBe("cancelling …");
	table.session.happens("assistant.message", { content: "", error: "cancelled", context: {} });
	await table.settle();
	expect(table.keyboard.notice).toBe("");
	expect(table.rows).toEqual(["", "› go", "cancelled"]);
});

const tab = { name: "tab", text: "\t" };
const listed = (name: string, more: object = {}) => ({
	name,
	description: name,
	source: "data",
	path: `skills/${name}.md`,
	type: "simple",
	hash: "",
	user_invocable: true,
	model_invocable: true,
	trust: "operator",
	...more,
});
const skillList = {
	skills: [
		listed("deploy"),
		listed("deploy-docs"),
		listed("new-release"),
		listed("mine", { trust: "trusted" }),
		listed("depot", { user_invocable: false }),
		listed("depend", { trust: "untrusted" }),
	],
	problems: [],
	digest: "",
};

test.each([
	{ typed: "/se", text: "/sessions ", notice: "" },
	{ typed: "/m", text: "/m", notice: "/mine  /model" },
	{ typed: "/de", text: "/deploy", notice: "" },
	{ typed: "/deploy", text: "/deploy", notice: "/deploy  /deploy-docs" },
	{ typed: "/deploy-", text: "/deploy-docs ", notice: "" },
	{ typed: "/x", text: "/x", notice: "no command or skill begins with /x; /help lists the commands" },
])("Tab after $typed completes commands and skills: $text", async ({ typed, text, notice }) => {
	const table = new Table();
	await table.press(...[...typed].map((letter) => ({ text: letter })), tab);
	expect(table.client.last("list_skills").params).toEqual({ session_id: "sess_1" });
	table.client.last("list_skills").answer(skillList);
	await table.settle();
	expect(table.keyboard).toMatchObject({ message: { text }, notice });
	await table.press({ text: "x" });
	expect(table.keyboard.notice).toBe("");
});

test("completions that arrive after an edit do not change the line, and Tab inserts a tab in a message", async ({
	table,
}) => {
	await table.press({ text: "/" }, { text: "d" }, tab, { text: "x" });
	table.client.last("list_skills").answer(skillList);
	await table.settle();
	expect(table.keyboard.message.text).toBe("/dx");
	await table.press({ text: " " }, tab);
	expect(table.keyboard.message.text).toBe("/dx \t");
});

test("Ctrl-C without a turn clears the line, then warns, then leaves", async ({ table }) => {
	await table.press({ text: "x" }, ctrlC);
	expect(table.keyboard).toMatchObject({ message: { text: "" }, notice: "" });
	await table.press(ctrlC);
	expect(table.keyboard.notice).toBe("press Ctrl-C again to leave");
	await table.press({ name: "left" }, ctrlC, ctrlC);
	await table.over;
	expect(table.session.isClosed).toBe(true);
});

test("Ctrl-C leaves if the connection is lost", async ({ table }) => {
	table.session.happens("user.message", running);
	await table.settle();
	table.chat.connection("lost");
	expect(table.keyboard.notice).toBe("connection lost, reconnecting …");
	await table.press(ctrlC, ctrlC);
	await table.over;
	expect(table.client.requests).toEqual([]);
});

test("Ctrl-D leaves the chat only on an empty line", async ({ table }) => {
	await table.press({ text: "x" }, { name: "left" }, ctrlD);
	expect(table.keyboard.message.text).toBe("");
	await table.press(ctrlD);
	await table.over;
	expect(table.session.isClosed).toBe(true);
});

test("sends typed keys to an open question, and sends its answer", async ({ table }) => {
	table.session.happens("prompt.request", askQuestion({ type: "confirm", label: "Allow run ls?" }));
	await table.settle();
	await table.type("hm");
	await table.type("y");
	expect(table.client.requests).toMatchObject([
		{ method: "prompt_response", params: { token: "token", value: "yes" } },
	]);
	expect(table.rows).toEqual(["Allow run ls?", "  answer y or n; n REASON sends the reason to the model"]);
});

test("shows the next question without waiting for the gateway", async ({ table }) => {
	for (const [token, label] of [
		["one", "Allow write a?"],
		["two", "Allow write b?"],
		["three", "Allow write c?"],
	] as const) {
		table.session.happens("prompt.request", askQuestion({ type: "confirm", token, label }));
	}
	await table.settle();
	await table.type("y");
	await table.type("n not that");
	await table.type("y");
	expect(table.client.requests.map(({ params }) => params)).toEqual([
		{ token: "one", value: "yes" },
		{ token: "two", cancelled: true, reason: "not that" },
		{ token: "three", value: "yes" },
	]);
	expect(table.rows).toEqual([
		"Allow write a?",
		"another question follows this one",
		"another question follows this one",
		"  ✓ yes",
		"Allow write b?",
		"  ✗ no: not that",
		"Allow write c?",
	]);
	const answers = { one: true, two: true, three: true };
	for (const [token, value] of Object.entries(answers)) {
		table.session.happens("prompt.response", { token, value, cancelled: false, by: "operator" });
	}
	await table.settle();
	// Another client has approved the second call before this client.
	expect(table.rows.slice(-2)).toEqual(["  Allow write b?  ✓ yes (answered elsewhere)", "  ✓ yes"]);
	expect(table.chat.conversation.question).toBeUndefined();
});

test("shows a question immediately while an answer is being sent", async ({ table }) => {
	table.session.happens("prompt.request", askQuestion({ type: "confirm", token: "one", label: "One?" }));
	await table.settle();
	await table.type("y");
	table.session.happens("prompt.request", askQuestion({ type: "confirm", token: "two", label: "Two?" }));
	await table.settle();
	expect(table.rows).toEqual(["One?", "  ✓ yes", "Two?"]);
	expect(table.keyboard.answer).toMatchObject({ text: "" });
	table.session.happens("prompt.closed", { token: "one", reason: "cancelled" });
	await table.settle();
	expect(table.rows.at(-1)).toBe("One? This question is closed: cancelled");
	expect(table.chat.conversation.question?.question.token).toBe("two");
});

test("asks again after the next question if the gateway refuses an answer", async ({ table }) => {
	for (const token of ["one", "two"]) {
		table.session.happens("prompt.request", askQuestion({ token, label: `${token}?` }));
	}
	await table.settle();
	await table.type("first");
	const refused = new ParleyError("invalid params: must match \\d+", { code: "invalid_argument" });
	table.client.last("prompt_response").refuse(refused);
	await table.settle();
	expect(table.chat.conversation.question?.question.token).toBe("two");
	await table.type("second");
	expect(table.chat.conversation.question).toMatchObject({ question: { token: "one" } });
	expect(table.chat.conversation.question?.given).toBeUndefined();
	expect(table.rows.slice(-3)).toEqual(["invalid params: must match \\d+", "  ✓ second", "? one?"]);
});

test("keeps a question open if the gateway refuses the answer", async ({ table }) => {
	table.session.happens("prompt.request", askQuestion({ label: "Code?" }));
	await table.settle();
	await table.type("abc");
	const refused = new ParleyError("invalid params: must match \\d+", { code: "invalid_argument" });
	table.client.last("prompt_response").refuse(refused);
	await table.settle();
	expect(table.rows.at(-1)).toBe("invalid params: must match \\d+");
	expect(table.keyboard.answer).toMatchObject({ text: "" });
});

test("Escape declines a question, but never an approval", async ({ table }) => {
	table.session.happens("prompt.request", askQuestion({ type: "confirm" }));
	await table.settle();
	await table.press({ name: "escape" });
	expect(table.client.requests).toEqual([]);
	table.session.happens("prompt.closed", { token: "token", reason: "done" });
	table.session.happens("prompt.request", askQuestion({ token: "second" }));
	await table.settle();
	await table.press({ name: "escape" });
	expect(table.client.last("prompt_response").params).toEqual({ token: "second", cancelled: true });
});

test("keeps the keys for an unfinished message when a question arrives", async ({ table }) => {
	await table.press({ text: "y" });
	table.session.happens("prompt.request", askQuestion({ type: "confirm" }));
	await table.settle();
	await table.press({ name: "return" });
	expect(table.client.last("send_message").params).toEqual({ content: "y" });
	expect(table.keyboard.answer).toMatchObject({ text: "" });
});

test("does not answer a new question with pasted text", async ({ table }) => {
	await table.press({ name: "paste-start" }, { text: "y" });
	table.session.happens("prompt.request", askQuestion({ type: "confirm" }));
	await table.settle();
	await table.press({ name: "return", text: "\r" }, { name: "paste-end" });
	expect(table.client.requests).toEqual([]);
	expect(table.keyboard).toMatchObject({ message: { text: "y\n" }, answer: undefined });
});

test("/new opens another session and leaves the old one", async ({ table }) => {
	await table.type("/new");
	expect(table.session.isClosed).toBe(true);
	await table.type("hello");
	expect(table.client.last("send_message").sessionId).toBe("sess_2");
	table.next.happens("user.message", { content: "hello", run_id: "run" });
	await table.settle();
	expect(table.rows).toEqual(["", expect.stringContaining("session sess_2"), "", "› hello"]);
});

test("/cancel reports that no turn runs", async ({ table }) => {
	await table.type("/cancel");
	table.client.last("cancel_turn").answer({ status: "idle" });
	await table.settle();
	expect(table.rows).toEqual(["cannot cancel: no turn is running"]);
});

test("/model NAME sets the model, and /model lists the models", async ({ table }) => {
	await table.type("/model fast");
	expect(table.client.last("set_model")).toMatchObject({ params: { model: "fast" }, sessionId: "sess_1" });
	table.client.last("set_model").answer({ model: "claude-haiku-4-5\u0007" });
	await table.settle();
	expect(table.rows).toEqual(["model from the next message on: claude-haiku-4-5\\u{7}"]);
	await table.type("/model");
	const limits = { context_window: 1, max_output: 1, reasoning: "none", images: false };
	const models = [{ name: "claude", provider: "anthropic", ...limits }];
	table.client.last("list_models").answer({ default: "claude", models });
	await table.settle();
	expect(table.rows.at(-1)).toMatch(/^▸ {2}claude/);
});

test("/model rejects an unknown name", async ({ table }) => {
	await table.type("/model fats");
	const refusal = new ParleyError("invalid params: model: unknown", { code: "invalid_argument" });
	table.client.last("set_model").refuse(refusal);
	await table.settle();
	expect(table.rows).toEqual(["invalid params: model: unknown"]);
});

test("/steer sends a message to the running turn", async ({ table }) => {
	table.session.happens("user.message", running);
	await table.settle();
	await table.type("/steer not there");
	expect(table.client.last("steer")).toMatchObject({ params: { content: "not there" }, sessionId: "sess_1" });
	expect(table.chat.conversation.sending).toEqual(["not there"]);
	table.session.happens("user.message", { content: "not there", run_id: "run", steered: true });
	await table.settle();
	expect(table.chat.conversation.sending).toEqual([]);
	expect(table.rows.slice(-2)).toEqual(["", "› not there"]);
});

test("/retry keeps the chat busy until the new reply is complete", async ({ table }) => {
	await table.type("/retry");
	table.client.last("retry").answer({ status: "sent", run_id: "again" });
	await table.settle();
	expect(table.chat.conversation.idle).toBe(false);
	table.session.happens("user.message", { content: "", run_id: "again", retry_of: "run" });
	table.session.happens("assistant.message", { content: "better", error: "", context: {} });
	await table.settle();
	expect(table.chat.conversation.idle).toBe(true);
	expect(table.rows).toEqual(["", "› (retry of the last reply)", "better"]);
});

test("/compact reports the start and the end once, and a refusal", async ({ table }) => {
	await table.type("/compact");
	table.client.last("compact_session").answer({ status: "started" });
	await table.settle();
	expect(table.rows).toEqual(["summarising the session…"]);
	const result = { tokens_before: 18_200, tokens_after: 2_400, error: "" };
	table.session.happens("context.compacted", { run_id: "", level: "summary", ...result });
	table.session.happens("compaction.ended", { status: "compacted", ...result });
	await table.settle();
	expect(table.rows).toEqual([
		"summarising the session…",
		"the model now works from a summary: 18.2k → 2.4k tokens",
	]);
	await table.type("/compact");
	table.client
		.last("compact_session")
		.refuse(new ParleyError("session busy: a run or a tool is active", { code: "resource_exhausted" }));
	await table.settle();
	expect(table.rows.at(-1)).toContain("session busy");
});

test("/retry without a reply prints an error and does not wait", async ({ table }) => {
	await table.type("/retry");
	table.client
		.last("retry")
		.refuse(new ParleyError("not available: nothing", { code: "failed_precondition" }));
	await table.settle();
	expect(table.rows).toEqual(["not available: nothing"]);
	expect(table.chat.conversation.idle).toBe(true);
});

test("/usage prints the usage of the session", async ({ table }) => {
	await table.type("/usage");
	const request = table.client.last("usage");
	expect(request).toMatchObject({ params: { by: "model" }, sessionId: "sess_1" });
	const none = { tokens_input: 0, tokens_output: 0, tokens_cache_read: 0, tokens_cache_write: 0 };
	request.answer({ rows: [], total: { ...none, cost_usd: 0, calls: 0 }, budgets: [] });
	await table.settle();
	expect(table.rows).toEqual(["no usage"]);
});

test("/quit leaves the chat", async ({ table }) => {
	await table.type("/quit");
	await table.over;
	expect(table.session.isClosed).toBe(true);
});

test("reports a restored connection once", async ({ table }) => {
	for (const state of ["lost", "connecting", "lost", "connecting", "open"] as const) {
		table.chat.connection(state);
	}
	expect(table.rows).toEqual(["connected again"]);
	expect(table.keyboard.notice).toBe("");
});

test("ends the chat with the reason if the session cannot be continued", async ({ table }) => {
	table.session.fails(new ParleyError("the gateway's data was replaced", { code: "data_loss" }));
	await expect(table.over).rejects.toThrow("data was replaced");
});

test("is ready for a line if a question is open or no turn runs", async ({ table }) => {
	await table.chat.ready();
	await table.type("hello");
	let isReady = false;
	const ready = table.chat.ready().then(() => {
		isReady = true;
	});
	await table.settle();
	expect(isReady).toBe(false);
	table.session.happens("prompt.request", askQuestion({}));
	await ready;
});

plainTest("a resumed session shows its last state without events that are sent again", async () => {
	const table = new Table(new FakeSession("sess_1", "resumed", 2));
	const message = (role: string, content: string, seq: number) => ({ role, content, ts: "", seq });
	table.client
		.last("load_messages")
		.answer([message("user", "one", 1), message("assistant", "two", 2), message("user", "three", 3)]);
	await table.settle();
	expect(table.rows).toEqual(["", "› one", "two"]);
	expect(table.client.last("query_tasks")).toMatchObject({ sessionId: "sess_1" });
});

test("continues a session of the list by its number, with its messages", async ({ table }) => {
	const { rows, client, chat } = table;
	await table.type("/resume 1");
	expect(rows.join(" ")).toContain("Unknown session number 1. Use a number from /sessions");
	await table.type("/resume");
	const listed = { message_count: 1, title: "plans", updated_at: "2026-01-01T00:00:00Z", root_dir: "/work" };
	client.last("list_sessions").answer({ sessions: [{ session_id: "sess_9", ...listed }] });
	await table.settle();
	await table.type("/resume 1");
	expect(chat.sessionId).toBe("sess_9");
	client.last("load_messages").answer([{ role: "user", content: "hello again", ts: "", seq: 1 }]);
	await table.settle();
	expect(rows).toContain("› hello again");
	await table.type("/resume sess_9");
	expect(rows.at(-1)).toBe("This session is already open.");
});

test("continues with a copy of the session, up to a message or without the last ones", async ({ table }) => {
	const { rows, client, chat } = table;
	await table.type("/fork two");
	expect(rows.join(" ")).toContain("use the number of a message, for example 3");
	await table.type("/fork -1");
	const request = client.last("fork_session");
	expect(request).toMatchObject({ params: { session_id: "sess_1", at: -1 } });
	request.answer({ session_id: "sess_3", title: "", at: 2, last_seq: 5 });
	await table.settle();
	expect(chat.sessionId).toBe("sess_3");
	expect(rows).toContain("Fork of sess_1 up to message 2");
	client.last("load_messages").answer([{ role: "user", content: "hello", ts: "", seq: 1, imported: true }]);
	await table.settle();
	expect(rows).toContain("› hello");
	await table.type("/fork");
	expect(client.last("fork_session").params).toEqual({ session_id: "sess_3" });
	client.last("fork_session").refuse(new ParleyError("no answered message", { code: "failed_precondition" }));
	await table.settle();
	expect(chat.sessionId).toBe("sess_3");
	expect(rows.join(" ")).toContain("no answered message");
});

test("completes models and files, and finds messages of other sessions with Ctrl-R", async ({ table }) => {
	const { client, keyboard } = table;
	await table.press(...[..."/model b"].map((text) => ({ text })), { name: "tab" });
	client.last("list_models").answer({ default: "big", models: [{ name: "big" }, { name: "small" }] });
	await table.settle();
	expect(keyboard.message.text).toBe("/model big ");
	await table.press({ name: "u", ctrl: true }, ...[..."see @app"].map((text) => ({ text })), { name: "tab" });
	expect(keyboard.message.text).toBe("see @src/app.ts ");
	await table.press(
		{ name: "u", ctrl: true },
		{ name: "r", ctrl: true },
		...[..."plo"].map((text) => ({ text })),
	);
	const listed = { message_count: 1, title: "", updated_at: "2026-01-01T00:00:00Z", root_dir: "/work" };
	client.last("list_sessions").answer({ sessions: [{ session_id: "sess_9", ...listed }] });
	await table.settle();
	client.last("load_messages").answer([{ role: "user", content: "deploy it", ts: "", seq: 1 }]);
	await table.settle();
	expect(keyboard.notice).toBe("deploy it");
	await table.press({ name: "return" });
	expect(keyboard.message.text).toBe("deploy it");
	await table.type("");
	expect(client.last("send_message").params).toEqual({ content: "deploy it" });
});

test("a search in earlier messages reads them again after an error", async ({ table }) => {
	await table.press({ name: "r", ctrl: true });
	table.client.last("list_sessions").refuse(new ParleyError("no connection", { code: "unavailable" }));
	await table.press({ name: "escape" }, { name: "r", ctrl: true });
	table.client.last("list_sessions").answer({ sessions: [{ session_id: "sess_0", message_count: 1 }] });
	await table.settle();
	table.client.last("load_messages").answer([{ role: "user", content: "a rare message" }]);
	await table.settle();
	await table.press({ text: "r", name: "r" });
	expect(table.keyboard.notice).toBe("a rare message");
});

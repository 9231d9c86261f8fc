import { defined } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { answered, event, listed, modelCall, retrying, usageUpdated } from "../testing/events.ts";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { Conversation } from "./conversation.ts";

const format = { columns: 40, styles: createStyles(false) };

const userMessage = (content: string, author?: { id: string; name: string }): OzzieEvent =>
	event("user.message", defined({ content, run_id: "run", author }));
const start = event("assistant.stream", { phase: "start", content: "", index: 0 });
const delta = (content: string): OzzieEvent =>
	event("assistant.stream", { phase: "delta", content, index: 0 });
const end = event("assistant.stream", { phase: "end", content: "", index: 0 });
const ended = (content: string, error = ""): OzzieEvent =>
	event("assistant.message", { content, error, context: {} });
const called = (call_id: string, name = "run_command"): OzzieEvent =>
	event("tool.call", { status: "started", name, arguments: { cmd: "ls" }, call_id });
const returned = (call_id: string, name = "run_command"): OzzieEvent =>
	event("tool.call", { status: "completed", name, result: "done", call_id });

function apply(conversation: Conversation, ...events: readonly OzzieEvent[]): string[] {
	return events.flatMap((one) => conversation.apply(one, format));
}

test("shows the events of a turn", () => {
	const conversation = new Conversation();
	expect(apply(conversation, userMessage("hello"), start, delta("one "), delta("two"))).toEqual([
		"",
		"› hello",
	]);
	expect(conversation).toMatchObject({ active: true, idle: false });
	expect(conversation.openRows(format)).toEqual(["one two"]);
	expect(apply(conversation, end, ended("one two"))).toEqual(["one two"]);
	expect(conversation).toMatchObject({ active: false, idle: true });
	expect(conversation.openRows(format)).toEqual([]);
});

test("prints complete rows of a reply, and keeps the last row", () => {
	const conversation = new Conversation();
	expect(apply(conversation, start, delta(`${"word ".repeat(9)}end\nnext`))).toEqual([
		"word word word word word word word word",
		"word end",
	]);
	expect(conversation.openRows(format)).toEqual(["next"]);
});

test("escapes control characters of a model", () => {
	expect(apply(new Conversation(), start, delta("\u001b[2J\u009b1A"), end)).toEqual(["\\u{1b}[2J\\u{9b}1A"]);
});

test("queues messages, and shows them when they run", () => {
	const conversation = new Conversation();
	conversation.send("second");
	expect(apply(conversation, userMessage("first"), userMessage("second"))).toEqual(["", "› first"]);
	expect(conversation).toMatchObject({ queue: [{ content: "second" }], sending: [] });
	expect(apply(conversation, ended("one"))).toEqual(["one", "", "› second"]);
	expect(apply(conversation, ended("two"))).toEqual(["two"]);
	expect(conversation.idle).toBe(true);
});

test("prints the list of steps instead of its tool call, then the changed steps", () => {
	const conversation = new Conversation();
	apply(conversation, userMessage("hello"));
	const first = [called("t", "todo"), listed("in_progress", "pending"), returned("t", "todo")];
	expect(apply(conversation, ...first)).toEqual(["▸ Look", "· Change"]);
	expect(apply(conversation, listed("completed", "in_progress"))).toEqual(["✓ Look", "▸ Change"]);
	expect(conversation.todo?.current_step).toBe(1);
	apply(conversation, ended("done"));
	expect(conversation.todo).toBeUndefined();
});

test("is busy while a message is being sent", () => {
	const conversation = new Conversation();
	conversation.send("hello");
	expect(conversation.idle).toBe(false);
	conversation.unsend("hello");
	expect(conversation.idle).toBe(true);
});

test("shows messages of other people with their names", () => {
	const rows = apply(new Conversation(), userMessage("hello", { id: "x", name: "Ada\u0007" }));
	expect(rows).toEqual(["", "› Ada\\u{7}: hello"]);
});

test("shows tool calls, with names if several run at the same time", () => {
	const conversation = new Conversation();
	expect(apply(conversation, called("a"), returned("a"), called("b"), called("c"), returned("b"))).toEqual([
		"▸ run_command cmd: ls",
		"  ↳ done",
		"▸ run_command cmd: ls",
		"▸ run_command cmd: ls",
		"  ↳ run_command: done",
	]);
});

test("a partly hidden result names the key that shows all of it", () => {
	const conversation = new Conversation("markdown");
	const result = (text: string): OzzieEvent =>
		event("tool.call", { status: "completed", name: "run_command", result: text, call_id: "a" });
	expect(apply(conversation, called("a"), result("x".repeat(37))).slice(1)).toEqual([
		`  ↳ ${"x".repeat(35)}…`,
		"    Ctrl-O shows all",
	]);
	expect(apply(conversation, called("a"), result("x".repeat(36))).slice(1)).toEqual([
		`  ↳ ${"x".repeat(36)}`,
	]);
});

test("completes the row of a reply at a tool call", () => {
	expect(apply(new Conversation(), start, delta("let me look"), called("a"))).toEqual([
		"let me look",
		"▸ run_command cmd: ls",
	]);
});

test("shows a question once, without its tool call and with its answer", () => {
	const conversation = new Conversation();
	const question = askQuestion({ label: "Name?", token: "t" });
	const call = called("a", "ask_user");
	expect(apply(conversation, call, event("prompt.request", question))).toEqual(["? Name?"]);
	conversation.answer({ response: { text: "Ada" }, shown: "Ada" }, format);
	const answer = event("prompt.response", { token: "t", value: "Ada", cancelled: false, by: "operator" });
	expect(apply(conversation, answer, returned("a", "ask_user"))).toEqual(["  ✓ Ada"]);
	expect(conversation.question).toBeUndefined();
});

test("shows the answer of another client, also after a late answer of this client", () => {
	const conversation = new Conversation();
	apply(conversation, event("prompt.request", askQuestion({ type: "confirm", token: "t" })));
	conversation.answer({ response: { value: "yes" }, shown: "yes" }, format);
	const denied = event("prompt.response", { token: "t", value: false, cancelled: true, by: "operator" });
	expect(apply(conversation, denied)).toEqual(["  ✗ no (answered elsewhere)"]);
});

test("removes a closed question", () => {
	const conversation = new Conversation();
	apply(conversation, event("prompt.request", askQuestion({ token: "t" })));
	const closed = event("prompt.closed", { token: "t", reason: "cancelled" });
	expect(apply(conversation, closed)).toEqual(["the question is closed: cancelled"]);
	expect(conversation.question).toBeUndefined();
});

test("shows the end of a failed or cancelled run", () => {
	expect(apply(new Conversation(), ended("half", "cancelled"))).toEqual(["half", "cancelled"]);
	expect(apply(new Conversation(), ended("", "no space\nleft"))).toEqual(["error: no space", "left"]);
});

test("reports that a reply starts again with other text", () => {
	const events = [start, delta("one two"), start, delta("three"), end];
	expect(apply(new Conversation(), ...events)).toEqual(["one two", "the reply starts again", "three"]);
});

test("shows the end of a resumed session, and treats a last message as running", () => {
	const message = (role: string, content: string, seq: number) => ({ role, content, ts: "", seq });
	const answeredTwice = [
		message("user", "one", 1),
		message("user", "and two", 2),
		message("assistant", "three\u0007\n", 3),
		message("assistant", "", 4),
	];
	const rested = new Conversation();
	expect(rested.recall(answeredTwice, format)).toEqual(["", "› one", "", "› and two", "three\\u{7}"]);
	expect(rested.idle).toBe(true);
	const working = new Conversation();
	working.recall([...answeredTwice, message("user", "four", 5)], format);
	expect(working).toMatchObject({ active: true, queue: [] });
	const imported = new Conversation();
	imported.recall([{ ...message("user", "elsewhere", 1), imported: true }], format);
	expect(imported.idle).toBe(true);
	expect(apply(working, ended("five"))).toEqual(["five"]);
	expect(working.idle).toBe(true);
});

test("prints a message to the running turn after the unfinished row", () => {
	const conversation = new Conversation();
	conversation.send("not there");
	const steered = event("user.message", { content: "not there", run_id: "run", steered: true });
	expect(apply(conversation, userMessage("go"), start, delta("I go th"), steered)).toEqual(["", "› go"]);
	expect(conversation).toMatchObject({ sending: [], queue: [], steering: [{ content: "not there" }] });
	expect(apply(conversation, delta("ere"), end)).toEqual(["I go there", "", "› not there"]);
	expect(apply(conversation, steered, ended("done"))).toEqual(["", "› not there", "done"]);
	expect(conversation.idle).toBe(true);
});

test("shows a retry as a message", () => {
	const conversation = new Conversation();
	conversation.send("(retry of the last reply)");
	const again = event("user.message", { content: "", run_id: "run", retry_of: "old" });
	expect(apply(conversation, again)).toEqual(["", "› (retry of the last reply)"]);
	expect(conversation.sending).toEqual([]);
});

test("shows a pending retry until the model is called again", () => {
	const conversation = new Conversation();
	expect(
		apply(conversation, userMessage("go"), modelCall("start"), modelCall("end"), retrying(4000, 1)),
	).toEqual(["", "› go"]);
	expect(conversation.retrying).toMatchObject({ reason: "the model is overloaded", in_ms: 4000 });
	apply(conversation, modelCall("start"));
	expect(conversation.retrying).toBeUndefined();
	apply(conversation, retrying(8000, 2), ended("", "cancelled"));
	expect(conversation).toMatchObject({ retrying: undefined, idle: true });
});

test("reports an interrupted reply, but not a reply without text", () => {
	const conversation = new Conversation();
	const first = [userMessage("go"), modelCall("start"), start, delta("half a"), end, modelCall("end")];
	expect(apply(conversation, ...first, retrying(1000, 1))).toEqual([
		"",
		"› go",
		"half a",
		"the reply was interrupted and starts",
		"again",
	]);
	const second = [modelCall("start"), start, delta("half a word"), end, modelCall("end"), called("a")];
	expect(apply(conversation, ...second)).toEqual(["half a word", "▸ run_command cmd: ls"]);
	expect(apply(conversation, returned("a"), modelCall("start"), modelCall("end"), retrying(1000, 1))).toEqual(
		["  ↳ done"],
	);
});

test("prints the model and the cost below an answer, but not for the offline model", () => {
	const conversation = new Conversation();
	const rows = apply(conversation, modelCall("end"), usageUpdated(0.0421), answered("hi", "claude"));
	expect(rows).toEqual(["hi", "claude · 12.3k tokens in (10k cached),", "1.2k out · $0.04"]);
	const cancelled = answered("half", "claude", "cancelled");
	expect(apply(conversation, modelCall("end"), cancelled)).toEqual([
		"half",
		"cancelled",
		"claude · 12.3k tokens in (10k cached),",
		"1.2k out",
	]);
	expect(apply(conversation, modelCall("end", "offline"), answered("hi", "offline"))).toEqual(["hi"]);
});

test("prints budgets and compactions between the rows", () => {
	const spent = { scope: "gateway", period: "day", percent: 80, spent_usd: 4, limit_usd: 5 } as const;
	const compacted = {
		run_id: "run",
		level: "thinking",
		tokens_before: 90_000,
		tokens_after: 50_000,
		error: "",
	} as const;
	expect(
		apply(
			new Conversation(),
			event("context.compacted", compacted),
			event("budget.reached", { ...spent, message: "80 % of the budget is spent" }),
		),
	).toEqual([
		"earlier thinking was removed from the",
		"context of the model: about 90k tokens",
		"reduced to 50k",
		"80 % of the budget is spent",
	]);
});

const grantQuestion = event("prompt.request", {
	type: "confirm",
	label: "Trust discord:1:c?",
	token: "wish",
	required: true,
	options: [],
	default: null,
	placeholder: "",
	validation: "",
	context: { expires_at: "2026-01-02T00:00:00Z" },
});
const grant = {
	grant_id: "grant_1",
	place: "discord:1:c",
	people: null,
	tools: null,
	classes: null,
	max_actions: 5,
	used_actions: 0,
	reason: "tests",
	granted_by: "operator",
	created_at: "2026-01-01T00:00:00Z",
	expires_at: "2026-01-01T04:00:00Z",
};

test("shows requests for trust while runs work, and prints the result", () => {
	const conversation = new Conversation();
	apply(conversation, grantQuestion);
	expect(conversation).toMatchObject({ idle: true, question: { question: { token: "wish" } } });
	const own = event("prompt.request", {
		type: "confirm",
		label: "Allow ls?",
		token: "own",
		required: true,
		options: [],
		default: null,
		placeholder: "",
		validation: "",
		context: { call_id: "c" },
	});
	// An answer to the first question must not answer the second question.
	expect(apply(conversation, userMessage("go"), called("c"), own).at(-1)).toBe(
		"another question follows this one",
	);
	expect(conversation.question?.question.token).toBe("wish");
	expect(apply(conversation, own)).toEqual([]);
	apply(conversation, event("prompt.closed", { token: "wish", reason: "expired" }));
	expect(conversation.question?.question.token).toBe("own");
	apply(
		conversation,
		event("prompt.response", { token: "own", value: true, cancelled: false, by: "operator" }),
	);
	expect(conversation.question).toBeUndefined();
	const rows = apply(
		conversation,
		event("grant.created", grant),
		event("grant.ended", { grant_id: "grant_1", reason: "expired" }),
	);
	expect(rows.join(" ")).toMatch(
		/^discord:1:c is trusted until .* by operator: tests the channel is no longer trusted/,
	);
	const trusted = { grant_id: "grant_1", until: grant.expires_at };
	const unasked = event("tool.call", {
		status: "started",
		name: "git",
		arguments: {},
		call_id: "d",
		trusted,
	});
	expect(apply(conversation, unasked).at(-1)).toMatch(/^▸ git.* · trusted$/);
});

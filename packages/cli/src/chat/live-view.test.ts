import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { emptyEditor } from "../terminal/editor.ts";
import { event, listed } from "../testing/events.ts";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { Conversation } from "./conversation.ts";
import { type LiveState, liveView } from "./live-view.ts";

const format = { columns: 40, styles: createStyles(false) };

function view(changes: Partial<LiveState>, terminalRows = 24) {
	const message = { ...emptyEditor(), text: "hi", cursor: 2 };
	const state = {
		conversation: new Conversation(),
		message,
		answer: undefined,
		notice: "",
		now: 0,
		status: undefined,
		...changes,
	};
	return liveView(state, format, terminalRows);
}

function talking(...events: readonly Pick<OzzieEvent, "event" | "payload">[]): Conversation {
	const conversation = new Conversation();
	for (const one of events) {
		// The cast is safe because each test uses a name with its own payload.
		conversation.apply({ type: "event", seq: 1, ...one } as OzzieEvent, format);
	}
	return conversation;
}

const userMessage = (content: string) =>
	({ event: "user.message", payload: { content, run_id: "run" } }) as const;

test("shows only the typed line without a turn", () => {
	expect(view({})).toEqual({ rows: ["", "› hi"], cursor: { row: 1, column: 4 } });
});

test("shows the unfinished row, queued messages and Ctrl-C during a turn", () => {
	const delta = {
		event: "assistant.stream",
		payload: { phase: "delta", content: "some te", index: 0 },
	} as const;
	const conversation = talking(userMessage("first"), userMessage("second"), delta);
	conversation.send("third");
	expect(view({ conversation }).rows).toEqual([
		"some te",
		"",
		"  queued (1): second",
		"  sending: third",
		"⠋ working · 0 s · Ctrl-C cancels",
		"› hi",
	]);
});

test("shows the progress of the steps until the run ends", () => {
	const conversation = talking(userMessage("first"));
	conversation.apply(listed("completed", "in_progress"), format);
	expect(view({ conversation }).rows.join("\n")).toMatch(/1\/2.*Change/);
	conversation.apply(event("assistant.message", { content: "done", error: "", context: {} }), format);
	expect(view({ conversation }).rows.join("\n")).not.toContain("Change");
});

test("shows messages to the running turn and the reason for a retry", () => {
	const delta = {
		event: "assistant.stream",
		payload: { phase: "delta", content: "some te", index: 0 },
	} as const;
	const steered = { event: "user.message", payload: { content: "x", run_id: "run", steered: true } } as const;
	const retry = {
		event: "run.retrying",
		payload: { run_id: "run", reason: "busy", in_ms: 0, attempt: 1, model: "m" },
	} as const;
	expect(view({ conversation: talking(userMessage("first"), delta, steered) }).rows).toContain(
		"  to the running turn: x",
	);
	expect(view({ conversation: talking(userMessage("first"), retry) }).rows).toEqual([
		"",
		"⠋ busy · 0 s · Ctrl-C cancels",
		"› hi",
	]);
});

test("shows only the first queued messages", () => {
	const conversation = talking(...["a", "b", "c", "d", "e", "f"].map(userMessage));
	expect(view({ conversation }).rows).toContain("  and 2 more");
});

test("shows a typed answer below its question, and masks a password", () => {
	const conversation = talking({ event: "prompt.request", payload: askQuestion({ type: "password" }) });
	const answer = { ...emptyEditor(), text: "secret", cursor: 6 };
	expect(view({ conversation, answer }).rows).toEqual(["password (hidden) › ******"]);
});

test("reports an open question while a message is typed", () => {
	const conversation = talking({ event: "prompt.request", payload: askQuestion({}) });
	expect(view({ conversation }).rows).toEqual(["", "a question is open: send your line or c…", "› hi"]);
});

test("shows the end of the output of a running command until it ends", () => {
	const conversation = talking(userMessage("first"));
	const call = { name: "run_command", call_id: "a" };
	conversation.apply(event("tool.call", { ...call, status: "started", arguments: {} }), format);
	const content = "1\n2\n3\n4\n10 %\r5\n\u001b[31m6\u001b[2J\n";
	conversation.apply(event("tool.output", { run_id: "run", call_id: "a", content }), format);
	const rows = ["2", "3", "4", "5", "6\\u{1b}[2J"].map((line) => `  │ ${line}`);
	expect(view({ conversation }).rows.slice(0, 5)).toEqual(rows);
	expect(view({ conversation }).rows.join("\n")).toContain("running run_co… · 0 s");
	conversation.apply(event("tool.call", { ...call, status: "completed", result: "" }), format);
	expect(view({ conversation }).rows.join("\n")).not.toContain("│");
});

test("shows a notice instead of the current activity", () => {
	expect(view({ conversation: talking(userMessage("x")), notice: "lost" }).rows).toEqual([
		"",
		"lost",
		"› hi",
	]);
});

test("fits a terminal with few rows", () => {
	const conversation = talking(...["a", "b", "c", "d"].map(userMessage));
	const { rows, cursor } = view({ conversation }, 4);
	expect(rows).toEqual(["⠋ working · 0 s · Ctrl-C cancels", "› hi"]);
	expect(cursor).toEqual({ row: 1, column: 4 });
});

import { expect, test } from "vitest";
import type { ShownEvent } from "../client/past-events.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { sessionTranscript } from "./transcript.ts";

const plain = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };

function shownEvent(type: string, payload: object): ShownEvent {
	const timestamp = new Date(2026, 0, 31, 9, 5, 7).toISOString();
	return { id: "e", session_id: "sess_1", type, timestamp, payload, seq: 1 };
}

const events = [
	shownEvent("user.message", { content: "Run\u001b it", run_id: "r", author: { id: "u", name: "Ada" } }),
	shownEvent("tool.call", { status: "started", name: "run", arguments: { cmd: "ls" }, call_id: "c" }),
	shownEvent("prompt.request", {
		type: "confirm",
		label: "Allow ls?",
		required: true,
		options: [],
		default: null,
		placeholder: "",
		validation: "",
		context: {},
	}),
	shownEvent("prompt.response", { value: true, remembered: true, cancelled: false, by: "operator" }),
	shownEvent("tool.call", { status: "completed", name: "run", result: "a\nb", call_id: "c" }),
	shownEvent("assistant.message", { content: "There are two.", error: "", context: {} }),
	shownEvent("user.message", { content: "stop", run_id: "s" }),
	shownEvent("assistant.message", { content: "", error: "cancelled", context: {} }),
	shownEvent("session.closed", {}),
];

test("prints messages in order, with author and time", () => {
	expect(sessionTranscript(events, plain)).toEqual([
		"",
		"Ada · 2026-01-31 09:05:07 · message 1",
		"Run\\u{1b} it",
		"▸ run cmd: ls",
		"? Allow ls?",
		"  yes, for this session (operator)",
		"  ↳ a",
		"    b",
		"",
		"Parley · 2026-01-31 09:05:07",
		"There are two.",
		"",
		"You · 2026-01-31 09:05:07 · message 2",
		"stop",
		"",
		"Parley · 2026-01-31 09:05:07",
		"✗ cancelled",
	]);
});

test("marks imported messages, and leaves out empty ones", () => {
	const imported = [
		shownEvent("user.message", { content: "", run_id: "r", imported: true }),
		shownEvent("assistant.message", { content: "Hello!", error: "", context: {}, imported: true }),
		shownEvent("user.message", { content: "Hi", run_id: "s", imported: true }),
		shownEvent("assistant.message", { content: "", error: "", context: {}, imported: true }),
	];
	expect(sessionTranscript(imported, plain)).toEqual([
		"",
		"Parley (imported) · 2026-01-31 09:05:07",
		"Hello!",
		"",
		"You (imported) · 2026-01-31 09:05:07 · message 2",
		"Hi",
	]);
});

test("names the session of a fork, and does not mark its messages", () => {
	const fork = [
		shownEvent("session.created", { forked_from: { session_id: "sess_0", at: 1 } }),
		shownEvent("user.message", { content: "Hi", run_id: "r", imported: true }),
		shownEvent("user.message", { content: "and?", run_id: "r", steered: true, imported: true }),
		shownEvent("assistant.message", { content: "Hello!", error: "", context: {}, imported: true }),
		shownEvent("user.message", { content: "Go on", run_id: "s" }),
	];
	expect(sessionTranscript(fork, plain)).toEqual([
		"Fork of sess_0 up to message 1",
		"",
		"You · 2026-01-31 09:05:07 · message 1",
		"Hi",
		"",
		"You · 2026-01-31 09:05:07",
		"and?",
		"",
		"Parley · 2026-01-31 09:05:07",
		"Hello!",
		"",
		"You · 2026-01-31 09:05:07 · message 2",
		"Go on",
	]);
});

test("prints no row that is wider than the terminal", () => {
	const long = shownEvent("user.message", { content: "word ".repeat(50), run_id: "r" });
	const rows = sessionTranscript([long], { ...plain, columns: 40 });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(40);
});

test("prints one row for each event of a task", () => {
	const resumed = shownEvent("task.resumed", { task_id: "task_abcdefghij", title: "Look\u001b" });
	expect(sessionTranscript([resumed], plain)).toEqual(["task.resumed: task_abcdef Look\\u{1b}"]);
});

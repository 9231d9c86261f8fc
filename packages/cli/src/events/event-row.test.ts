import { expect, test } from "vitest";
import type { ShownEvent } from "../client/past-events.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { eventRow } from "./print-events.ts";

const plain = { columns: 120, styles: createStyles(false) };

function shownEvent(type: string, payload: object): ShownEvent {
	const timestamp = new Date(2026, 0, 31, 9, 5, 7).toISOString();
	return { id: "e", session_id: "sess_abcdefghij", type, timestamp, payload, seq: 1 };
}

const usage = { tokens_input: 1200, tokens_output: 5, tokens_cache_read: 0, tokens_cache_write: 0 };
const call = {
	phase: "end",
	model: "m",
	provider: "p",
	message_count: 1,
	...usage,
	cost_usd: 0.5,
	duration: 1,
	run_id: "",
};

const task = { task_id: "task_abcdefghij" };
const titled = { ...task, title: "T" };
const steps = { current_step: 2, total_steps: 5, current_step_label: "Tests", percentage: 40 };

test.each([
	["user.message", { content: "two\nlines", run_id: "r" }, "two\\nlines"],
	["assistant.message", { content: "", error: "it \u001b[31m failed", context: {} }, "it \\u{1b}[31m failed"],
	["internal.llm.call", { ...call, error: "" }, "m, 1.2k tokens in, 5 out, $0.50"],
	["internal.llm.call", { ...call, error: "away" }, "m: away"],
	["tool.call", { status: "started", name: "run", arguments: { a: 1 }, call_id: "c" }, 'run {"a":1}'],
	["tool.call", { status: "completed", name: "run", result: "ok", call_id: "c" }, "run returned ok"],
	["tool.call", { status: "failed", name: "run", error: "no", call_id: "c" }, "run failed: no"],
	["prompt.response", { value: null, cancelled: true, by: "operator" }, "declined by operator"],
	["session.renamed", { title: "T", by: "model" }, "T (by a model)"],
	["grant.ended", { grant_id: "g", reason: "expired" }, "the channel is no longer trusted: expired"],
	["task.progress", { ...task, ...steps }, "task_abcdef 40% 2/5 Tests"],
	[
		"task.failed",
		{ ...titled, error: "no", retry_count: 0, will_retry: true },
		"task_abcdef T: no; retrying",
	],
	["task.cancelled", { ...task, reason: "" }, "task_abcdef"],
	["internal.worker", { ...task, event: "phase", phase: "waiting" }, "task_abcdef waiting"],
	["session.created", {}, ""],
	["of.tomorrow", { x: 1 }, ""],
])("prints one row for %s", (type, payload, words) => {
	const row = eventRow(shownEvent(type, payload), plain);
	expect(row).toBe(`09:05:07  sess_abcdef  ${`${type.padEnd(17)}  ${words}`.trimEnd()}`);
});

test("limits a row to the width of the terminal, and colours it if colours are on", () => {
	const event = shownEvent("user.message", { content: "word ".repeat(100), run_id: "r" });
	expect(widthOf(eventRow(event, { ...plain, columns: 60 }))).toBeLessThanOrEqual(60);
	expect(eventRow(event, { ...plain, styles: createStyles(true) })).toContain("\u001b[36muser.message");
});

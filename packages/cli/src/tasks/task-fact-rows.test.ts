import { expect, test } from "vitest";
import { askQuestion } from "../testing/questions.ts";
import { someTask } from "../testing/tasks.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { type TaskDetails, taskFactRows } from "./show-task.ts";

const plain = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
const now = Date.parse("2026-01-31T09:03:00.000Z");
const id = `task_${"a".repeat(26)}`;
const task = someTask({
	status: "suspended",
	description: "Make\n\u001bit so",
	retry_of: "task_before",
	suspend_count: 2,
	plan: [
		{ title: "Look", status: "completed" },
		{ title: "Think", status: "in_progress" },
		{ title: "Ask", status: "skipped" },
		{ title: "Write", status: "pending" },
	],
	suspension: { reason: "May I?", plan_content: "A plan" },
});
const details: TaskDetails = {
	task,
	workers: [someTask({ id: "task_worker", parent_id: id, title: "Help", status: "running" })],
	questions: [askQuestion({ type: "confirm", label: "Allow ls?", context: { task_id: "task_worker" } })],
	log: [],
};

test("prints a task with its plan, its open questions and its workers", () => {
	const rows = taskFactRows(details, now, plain);
	expect(rows.slice(0, 3)).toEqual([
		"Refactor",
		`id            ${id}`,
		expect.stringMatching(/^status +suspended/),
	]);
	expect(rows).toContain("retry of      task_before");
	expect(rows).toContain("suspended     2 times");
	expect(rows.slice(rows.indexOf("description"))).toEqual([
		"description",
		"Make",
		"\\u{1b}it so",
		"",
		"plan",
		"✓ Look",
		"▸ Think",
		"- Ask (skipped)",
		"· Write",
		"",
		"waits for you",
		"? May I?",
		"  A plan",
		"  answer with `parley task reply task_aaaaaa`",
		"",
		"open questions",
		"worker task_worker Help",
		"Allow ls?",
		`answer with \`parley chat --session ${task.session_id}\``,
		"",
		"workers",
		expect.stringMatching(/^ID /),
		expect.stringMatching(/^task_worker +running .* Help /),
	]);
});

test("prints the duration, the error and the complete output of an ended task", () => {
	const output = `${"word ".repeat(300)}end`;
	const ended = someTask({
		status: "failed",
		error: "no \u0007net",
		output,
		tools: [],
		started_at: "2026-01-31T09:00:10.000Z",
		completed_at: "2026-01-31T09:02:10.000Z",
	});
	const details: TaskDetails = { task: ended, workers: [], questions: [], log: [] };
	const rows = taskFactRows(details, now, plain);
	expect(rows).toContainEqual(expect.stringMatching(/^failed {8}2026-01-31 .*, after 2 min$/));
	expect(rows).toContain("tools         none");
	expect(rows.slice(rows.indexOf("error"))).toEqual(["error", "no \\u{7}net", "", "output", output]);
	const narrow = taskFactRows(details, now, { ...plain, columns: 40 });
	expect(Math.max(...narrow.slice(narrow.indexOf("error")).map(widthOf))).toBeLessThanOrEqual(40);
});

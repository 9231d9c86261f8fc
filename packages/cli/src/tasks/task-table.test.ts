import { expect, test } from "vitest";
import { someTask } from "../testing/tasks.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { taskTable } from "./task-table.ts";

const plain = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
const now = Date.parse("2026-01-31T09:03:00.000Z");
const progress = { current_step: 2, total_steps: 5, current_step_label: "Tests", percentage: 40 };
const suspension = { reason: "A \u001btable", plan_content: "…" };
const tasks = [
	someTask({ title: "Refactor\nauth", status: "suspended", progress, suspension }),
	someTask({ id: "task_worker1", parent_id: `task_${"a".repeat(26)}`, title: "Look", status: "running" }),
];

test("prints the progress of tasks, then the suspended tasks with the command that answers", () => {
	expect(taskTable(tasks, now, plain)).toEqual([
		"ID             STATUS     PROGRESS         TITLE           SESSION      AGE         COST",
		"task_aaaaaa    suspended  ████░░░░░░  40%  Refactor\\nauth  sess_ssssss  3 min ago  $0.00",
		"  task_worker  running    ░░░░░░░░░░   0%  Look            sess_ssssss  3 min ago  $0.00",
		"task_aaaaaa waits for you: A \\u{1b}table; answer with `parley task reply task_aaaaaa`",
	]);
});

test("limits rows to a narrow terminal, and keeps the questions complete", () => {
	const rows = taskTable(tasks, now, { ...plain, columns: 50 });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(50);
	expect(rows.join(" ")).toContain("answer with `parley task reply task_aaaaaa`");
});

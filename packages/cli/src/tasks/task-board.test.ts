import { expect, test } from "vitest";
import { event } from "../testing/events.ts";
import { someTask } from "../testing/tasks.ts";
import { createStyles } from "../text/styles.ts";
import type { TaskEvent } from "../wordings/task.ts";
import { TaskBoard } from "./task-board.ts";

const format = { columns: 60, styles: createStyles(false) };
const titled = { task_id: "task_1", title: "Refactor" };
const created = happened("task.created", { ...titled, description: "", parent_id: "" });
const started = happened("task.started", titled);
const suspended = happened("task.suspended", {
	...titled,
	reason: "May I?",
	suspend_count: 1,
	plan_content: "First\n\u001bthen",
	token: "t",
});
const completed = happened("task.completed", {
	...titled,
	output_summary: "Three modules.",
	duration: 45e9,
	tokens_input: 1200,
	tokens_output: 34,
});

function happened<Name extends TaskEvent["event"]>(
	name: Name,
	payload: Extract<TaskEvent, { event: Name }>["payload"],
): TaskEvent {
	// The cast is safe because `name` is the name of a task event.
	return event(name, payload as never) as TaskEvent;
}

function progress(percentage: number, task_id = "task_1"): TaskEvent {
	const steps = { current_step: percentage / 20, total_steps: 5, current_step_label: "Tests" };
	return happened("task.progress", { task_id, percentage, ...steps });
}

function apply(board: TaskBoard, ...events: readonly TaskEvent[]): string[] {
	return events.flatMap((one) => board.apply(one, format));
}

test("prints rows for started, suspended and ended tasks, but not for progress", () => {
	const board = new TaskBoard({ showsOutput: true });
	expect(apply(board, created, started, progress(40))).toEqual(["▸ task_1 Refactor"]);
	expect(apply(board, suspended)).toEqual([
		"? task_1 Refactor · waits for you",
		"? May I?",
		"  First",
		"  \\u{1b}then",
		"  answer with `parley task reply task_1`",
	]);
	expect(apply(board, happened("task.resumed", titled), completed)).toEqual([
		"✓ task_1 Refactor · completed in 45 s · 1.2k tokens in, 34",
		"out",
		"  ↳ Three modules.",
	]);
	expect(board.statusOf("task_1")).toBe("completed");
});

test("prints whether a failed task is retried, and otherwise the command that retries it", () => {
	const board = new TaskBoard({ showsOutput: true });
	const failed = { ...titled, error: "no net", retry_count: 1 };
	expect(apply(board, created, started, happened("task.failed", { ...failed, will_retry: true }))).toEqual([
		"▸ task_1 Refactor",
		"✗ task_1 Refactor · failed, retrying: no net",
	]);
	expect(board.statusOf("task_1")).toBe("pending");
	expect(apply(board, started, happened("task.failed", { ...failed, will_retry: false }))).toEqual([
		"✗ task_1 Refactor · failed: no net",
		"  `parley task retry task_1` runs it again",
	]);
	const other = happened("task.cancelled", { task_id: "task_2", reason: "not needed" });
	expect(apply(board, other)).toEqual(["✗ task_2 · cancelled: not needed"]);
	const claimed = { task_id: "task_3", reason: "cancelled by operator", by: "discord:1:42" };
	expect(apply(board, happened("task.cancelled", claimed))).toEqual([
		"✗ task_3 · cancelled by discord:1:42: cancelled by operator",
	]);
});

test("prints no row for a known state", () => {
	const board = new TaskBoard({ showsOutput: true });
	const suspension = { reason: "May I?", plan_content: "", token: "t" };
	board.know([someTask({ id: "task_1", status: "suspended", suspension })]);
	expect(apply(board, created, suspended)).toEqual([]);
	const again = happened("task.suspended", { ...suspended.payload, token: "other" } as never);
	expect(apply(board, again)[0]).toBe("? task_1 Refactor · waits for you");
});

test("prints suspended tasks of a resumed session with the command that answers", () => {
	const board = new TaskBoard({ showsOutput: true });
	const tasks = [someTask({ id: "task_1", status: "suspended" }), someTask({ id: "task_2" })];
	expect(board.recall(tasks, format)).toEqual([
		"? task_1 Refactor · waits for you",
		"  answer with `parley task reply task_1`",
	]);
	expect(board.statusOf("task_2")).toBe("pending");
});

test("prints a row for each running task, up to a maximum", () => {
	const board = new TaskBoard({ showsOutput: true });
	apply(board, created, started, progress(40));
	expect(board.live(format)).toEqual(["Refactor  ████░░░░░░  40%  2/5 Tests"]);
	for (const id of ["task_2", "task_3", "task_4", "task_5"]) {
		apply(board, happened("task.started", { task_id: id, title: "A long title that takes very much room" }));
	}
	const rows = board.live(format);
	expect(rows).toHaveLength(4);
	expect(rows[0]).toBe("Refactor                       ████░░░░░░  40%  2/5 Tests");
	expect(rows[1]).toBe("A long title that takes very…  ░░░░░░░░░░   0%");
	expect(rows[3]).toBe("and 2 more tasks");
	apply(board, completed);
	expect(board.live(format).join()).not.toContain("Refactor");
});

test("finds workers at any depth, and does not print their output", () => {
	const board = new TaskBoard({ showsOutput: true });
	const worker = (task_id: string, parent_id: string): TaskEvent =>
		happened("task.created", { task_id, title: "Help", description: "", parent_id });
	expect(apply(board, created, worker("task_2", "task_1"), worker("task_3", "task_2"))).toContain(
		"▸ worker task_3 Help",
	);
	expect([board.isBelow("task_3", "task_1"), board.isBelow("task_1", "task_3")]).toEqual([true, false]);
	const done = happened("task.completed", { ...completed.payload, task_id: "task_3" } as never);
	expect(apply(board, done).join()).not.toContain("modules");
	apply(board, started, happened("task.started", { task_id: "task_9", title: "Other" }));
	expect(board.live(format, "task_1")).toHaveLength(1);
});

import { expect, test } from "vitest";
import { event } from "../testing/events.ts";
import { askQuestion } from "../testing/questions.ts";
import { someTask } from "../testing/tasks.ts";
import { createStyles } from "../text/styles.ts";
import { WatchedTask } from "./watch-task.ts";

const format = { columns: 60, styles: createStyles(false) };
const task = someTask({ id: "task_1", session_id: "sess_1", status: "running" });
const progress = { current_step: 2, total_steps: 5, current_step_label: "Tests", percentage: 40 };
const moved = event("task.progress", { task_id: "task_1", ...progress });

test("prints progress as lines without a terminal", () => {
	const watched = new WatchedTask(task, []);
	expect(watched.receive(moved, format, true)).toEqual(["  task_1 Refactor · 40%  2/5 Tests"]);
	expect(watched.receive(moved, format, false)).toEqual([]);
	expect(watched.live(format)).toEqual([
		"Refactor  ████░░░░░░  40%  2/5 Tests",
		"Ctrl-C leaves; the task continues",
	]);
	const resumed = event("task.resumed", { task_id: "task_1", title: "Refactor" });
	expect(watched.receive(resumed, format, true)).toEqual(["  task_1 Refactor · resumed"]);
});

test("ignores other tasks, but not its workers", () => {
	const watched = new WatchedTask(task, []);
	const worker = { task_id: "task_2", title: "Help", description: "", parent_id: "task_1" };
	expect(watched.receive(event("task.created", { ...worker, parent_id: "" }), format, true)).toBeUndefined();
	expect(watched.receive(event("task.created", { ...worker, task_id: "task_3" }), format, true)).toEqual([
		"▸ worker task_3 Help",
	]);
	expect(watched.receive(event("session.closed", {}), format, true)).toBeUndefined();
});

test("prints a question once, with the command that answers, and its end", () => {
	const watched = new WatchedTask(task, []);
	const question = askQuestion({ type: "confirm", label: "Allow ls?", context: { task_id: "task_1" } });
	const promptEvent = event("prompt.request", question);
	expect(watched.receive(promptEvent, format, false)).toEqual([
		"? task_1 Refactor asks",
		"Allow ls?",
		"  answer with `parley chat --session sess_1`",
	]);
	expect(watched.receive(promptEvent, format, false)).toBeUndefined();
	expect(watched.receive(event("prompt.request", askQuestion({})), format, false)).toBeUndefined();
	const answer = event("prompt.response", { token: "token", value: true, cancelled: false, by: "operator" });
	expect(watched.receive(answer, format, false)).toEqual(["  the question is answered or closed"]);
	expect(watched.receive(answer, format, false)).toBeUndefined();
});

test("shows the reason of a waiting task, and no live rows of an ended one", () => {
	const live = (status: typeof task.status): string[] =>
		new WatchedTask({ ...task, status }, []).live(format).slice(0, 1);
	expect(live("pending")).toEqual(["waits for its turn"]);
	expect(live("suspended")).toEqual(["waits for you"]);
	expect(live("cancelled")).toEqual([]);
});

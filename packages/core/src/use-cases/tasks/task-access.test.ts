import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { calls, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { TaskScript } from "../../testing/workflow-script.ts";
import { operator } from "../../vocabulary/principal.ts";

async function played(scripts: Readonly<Record<string, readonly ScriptedReply[]>>) {
	const model = new TaskScript(scripts);
	const t = await TestRuntime.open({ model });
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	for (let ended = ""; ended !== id; ) ended = (await log.next("task.completed", "task.failed")).taskId;
	log.check();
	return { t, log, model, id, tasks: await t.runtime.tasks.list(operator, { limit: 100 }) };
}

const spawn = (id: string, title: string, more: object = {}) =>
	calls(id, "spawn_worker", { title, description: "help", ...more });

function answers(model: TaskScript, title: string): string {
	return JSON.stringify(model.requests(title).at(-1)?.messages);
}

test("an unchanged plan is not reported again", async () => {
	const plan = (id: string, state: string) =>
		calls(id, "plan", { steps: [{ title: "look", state }, { title: "do" }] });
	const { t, log } = await played({
		Top: [[plan("c1", "pending")], [plan("c2", "pending")], [plan("c3", "completed")], [says("done")]],
	});
	await using _ = t;
	const reports = log.events.flatMap(({ event }) => (event.type === "task.progress" ? [event.progress] : []));
	expect(reports.map(({ label, percentage }) => [label, percentage])).toEqual([
		...[["Top", 0] as const, ["look", 0] as const, ["do", 50] as const],
	]);
	expect(log.recorded).not.toContain("todo.updated");
});

test("the list of steps of a task is its plan and is complete in progress events", async () => {
	const items = [{ text: "look", state: "done" }, { text: "do" }];
	const { t, log, id } = await played({ Top: [[calls("c1", "todo", { items })], [says("done")]] });
	await using _ = t;
	const plan = [
		{ title: "look", state: "completed" },
		{ title: "do", state: "pending" },
	];
	const reports = log.events.flatMap(({ event }) => (event.type === "task.progress" ? [event] : []));
	expect(reports.at(-1)).toMatchObject({
		taskId: id,
		plan,
		progress: { current: 1, total: 2, percentage: 50 },
	});
	expect((await t.runtime.tasks.check(operator, id)).plan).toEqual(plan);
});

test("progress events have the usage of the task and its workers", async () => {
	const plan = calls("c3", "plan", { steps: [{ title: "look", state: "completed" }] });
	const { t, log, id } = await played({
		Top: [[spawn("c1", "W")], [calls("c2", "wait_for_workers")], [plan], [says("done")]],
		W: [[says("helped")]],
	});
	await using _ = t;
	const used = log.events.flatMap(({ event }) => {
		if (!("taskId" in event) || event.taskId !== id || !("usage" in event)) return [];
		return [[event.type, event.usage?.outputTokens]];
	});
	// Each reply uses five output tokens. There are five replies: two before the wait, one from the worker, the plan, and the
	// final text.
	expect(used).toEqual([
		...[["task.progress", 0] as const, ["task.progress", 20] as const, ["task.completed", 25] as const],
	]);
	expect((await t.runtime.tasks.check(operator, id)).usage.outputTokens).toBe(25);
});

test("a task has at most eight workers, and the model learns that", async () => {
	const titles = Array.from({ length: 9 }, (_, index) => `W${index}`);
	const { t, model, tasks, id } = await played({
		Top: [titles.map((title, n) => spawn(`c${n}`, title)), [calls("c9", "wait_for_workers")], [says("done")]],
		...Object.fromEntries(titles.map((title) => [title, [[says("helped")]]])),
	});
	await using _ = t;
	expect(answers(model, "Top")).toContain("a task can have at most 8 workers");
	const workers = tasks.filter(({ parentId }) => parentId === id);
	expect(workers.map(({ state }) => state)).toEqual(Array(8).fill("completed"));
});

test("a session has at most a hundred open workers, and the model learns that", async () => {
	const model = new TaskScript({ Top: [[spawn("c1", "W")], [says("alone, then")]] });
	await using t = await TestRuntime.open({ model });
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	await t.store.commit(async (tx) => {
		const row = await tx.selectFrom("tasks").selectAll().executeTakeFirstOrThrow();
		const worker = { ...row, parent_id: "task_other", state: "suspended" as const };
		const workers = Array.from({ length: 100 }, (_, n) => ({ ...worker, id: `task_${n}` }));
		await tx.insertInto("tasks").values(workers).execute();
	});
	await t.runtime.start();
	await log.next("task.completed");
	expect(answers(model, "Top")).toContain("the session already has 100 open workers");
});

test("workers spawn workers three deep, and the deepest have no tool for it", async () => {
	const down = (title: string): ScriptedReply[] => [
		[spawn("c1", title)],
		[calls("c2", "wait_for_workers")],
		[says(`${title} helped`)],
	];
	const { t, model, tasks } = await played({
		Top: down("One"),
		One: down("Two"),
		Two: down("Three"),
		Three: [[spawn("c1", "Four")], [says("alone, then")]],
	});
	await using _ = t;
	expect(tasks.map(({ title, state }) => `${title} ${state}`).sort()).toEqual([
		...["One completed", "Three completed", "Top completed", "Two completed"],
	]);
	const tools = (title: string): string[] => model.requests(title)[0]?.tools.map(({ name }) => name) ?? [];
	expect(tools("Two")).toContain("spawn_worker");
	expect(tools("Three")).not.toContain("spawn_worker");
});

test("a worker has at most the tools of its task, and depends only on its siblings", async () => {
	const { t, model, tasks } = await played({
		Top: [
			[spawn("c1", "W", { tools: ["write_file"] }), spawn("c2", "W", { depends_on: ["task_elsewhere"] })],
			[says("alone, then")],
		],
	});
	await using _ = t;
	expect(answers(model, "Top")).toContain('there is no tool \\"write_file\\"');
	expect(answers(model, "Top")).toContain('\\"task_elsewhere\\" is not one of your workers');
	expect(tasks).toHaveLength(1);
});

test("workers without a waiting task are cancelled at its end", async () => {
	const { t, log, tasks } = await played({
		Top: [[spawn("c1", "W")], [says("done without it")]],
		W: [[calls("c1", "request_review", { reason: "may I?", content: "this" })]],
	});
	await using _ = t;
	expect(tasks.map(({ title, state, error }) => [title, state, error]).sort()).toEqual([
		...[["Top", "completed", ""] as const, ["W", "cancelled", "parent ended"] as const],
	]);
	expect(log.recorded.at(-1)).toBe("task.completed");
});

test("a failed worker is a result like others", async () => {
	const { t, model, tasks } = await played({
		Top: [[spawn("c1", "W")], [calls("c2", "wait_for_workers")], [says("done")]],
		W: [],
	});
	await using _ = t;
	expect(answers(model, "Top")).toMatch(/worker task_\w+ \(W\) failed/);
	expect(tasks.map(({ state }) => state).sort()).toEqual(["completed", "failed"]);
});

import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { builtinTools } from "../../tools/builtin.ts";
import { operator } from "../../vocabulary/principal.ts";
import type { NewTask } from "../../vocabulary/task.ts";

const counting = { title: "Count", description: "count the stars" };

async function opened(): Promise<{ t: TestRuntime; home: string }> {
	const t = await TestRuntime.open({ model: new ScriptedModel([says("one")], [says("two")]) });
	return { t, home: await t.create() };
}

test.each<[string, Partial<NewTask>, string]>([
	["an unknown tool", { tools: ["run_command", "fly"] }, 'tools: there is no tool "fly"; available: '],
	["an unknown agent", { agent: "nobody" }, "nobody"],
	["an unknown model", { model: "nothing-9" }, 'model: there is no model "nothing-9"'],
	[
		"an unknown task",
		{ dependsOn: ["task_x"] },
		'depends_on: "task_x" is not a task of this session: use an id that list_tasks returns',
	],
])("%s is refused, and leaves no data", async (_what, more, message) => {
	const { t, home } = await opened();
	await using _ = t;
	await expect(t.runtime.tasks.submit(unkeyed(), home, { ...counting, ...more })).rejects.toThrow(message);
	expect(await t.runtime.tasks.list(operator, { limit: 10 })).toEqual([]);
});

test("a default tool that the session does not have is omitted with a note", async () => {
	const tools = builtinTools().filter(({ name }) => name !== "query_memories");
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("one")]), tools });
	const home = await t.create();
	const { id, notes } = await t.runtime.tasks.submit(unkeyed(), home, counting);
	expect(notes).toEqual(["the tool query_memories is not available here, so the task starts without it"]);
	expect((await t.runtime.tasks.check(operator, id)).tools).toEqual(["run_command", "git"]);
});

test("a task cannot depend on a cancelled task or a task of another session", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const { tasks } = t.runtime;
	const elsewhere = await tasks.submit(unkeyed(), await t.create(), counting);
	const over = await tasks.submit(unkeyed(), home, counting);
	await tasks.cancel(unkeyed(), over.id, "");
	const needing = (id: string) => tasks.submit(unkeyed(), home, { ...counting, dependsOn: [id] });
	await expect(needing(elsewhere.id)).rejects.toThrow("is not a task of this session");
	await expect(needing(over.id)).rejects.toThrow("has been cancelled");
});

test("a session has at most a hundred open tasks", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const ids: string[] = [];
	for (let n = 0; n < 100; n++) ids.push((await t.runtime.tasks.submit(unkeyed(), home, counting)).id);
	await expect(t.runtime.tasks.submit(unkeyed(), home, counting)).rejects.toThrow(
		"already has 100 open tasks",
	);
	await t.runtime.tasks.cancel(unkeyed(), ids[0] ?? "", "");
	expect((await t.runtime.tasks.submit(unkeyed(), home, counting)).id).toMatch(/^task_/);
});

test("the same key submits one task", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const request = { principal: operator, key: "k1", method: "submit_task", params: counting };
	const first = await t.runtime.tasks.submit(request, home, counting);
	expect(await t.runtime.tasks.submit(request, home, counting)).toEqual(first);
	expect(await t.runtime.tasks.list(operator, { limit: 10 })).toHaveLength(1);
});

test("the session of a task cannot submit tasks", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, counting);
	const { ownSessionId } = await t.runtime.tasks.check(operator, id);
	await expect(t.runtime.tasks.submit(unkeyed(), ownSessionId, counting)).rejects.toThrow(
		`this session belongs to the task ${id}`,
	);
});

test("a task does not exist for principals that may not see its session", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, counting);
	const stranger = testConnector("member");
	const { tasks } = t.runtime;
	await expect(tasks.check(stranger, id)).rejects.toThrow(`task not found: ${id}`);
	await expect(tasks.cancel(unkeyed(stranger), id, "")).rejects.toThrow(`task not found: ${id}`);
	await expect(tasks.reply(unkeyed(stranger), id, { approved: true, feedback: "" })).rejects.toThrow(
		`task not found: ${id}`,
	);
	expect(await tasks.list(stranger, { limit: 10 })).toEqual([]);
});

test("the event of a task names its submitter, also if the event is repeated", async () => {
	const { t } = await opened();
	await using _ = t;
	const { tasks } = t.runtime;
	const home = await t.create(testConnector());
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const { id } = await tasks.submit(unkeyed(testConnector()), home, counting);
	expect(await log.next("task.created")).toMatchObject({ by: "discord:guild:ada" });
	await tasks.cancel(unkeyed(), id, "");
	await tasks.retry(unkeyed(), id);
	expect(await log.next("task.created")).toMatchObject({ by: "operator" });
});

test("only an ended task can be repeated, as a new task that names it", async () => {
	const { t, home } = await opened();
	await using _ = t;
	const { tasks } = t.runtime;
	const { id } = await tasks.submit(unkeyed(), home, { ...counting, priority: "high" });
	await expect(tasks.retry(unkeyed(), id)).rejects.toThrow(
		"only a task that has ended can be repeated; wait until it ends, or cancel it",
	);
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	await t.runtime.start();
	await log.next("task.completed");
	const again = await tasks.retry(unkeyed(), id);
	await log.next("task.completed");
	expect(await tasks.check(operator, again.id)).toMatchObject({
		retryOf: id,
		title: "Count",
		priority: "high",
		state: "completed",
		output: "two",
	});
});

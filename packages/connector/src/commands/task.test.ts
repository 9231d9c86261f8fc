import type { TaskPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { ada, commanded, general, scriptedContext, taskPayload } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { taskCommands } from "./task.ts";

const { id } = taskPayload();
const done = taskPayload({ id: "task_01234567890123456789abbbbb", title: "Old", status: "completed" });
const alike = taskPayload({ id: "task_01234567890123456789baaaaa", title: "Alike" });
const twins = ["x", "y"].map((letter) =>
	taskPayload({ id: `task_01234567890123456789c${letter.repeat(5)}`, title: "Same" }),
);
const part = taskPayload({ id: "task_01234567890123456789zzzzzz", title: "Part", parent_id: id });
const token = "review_01234567890123456789cccccc";
const suspension = { reason: "A schema", plan_content: "a *table*", token };
const waiting = taskPayload({ status: "suspended", suspension });

function listing(...tasks: TaskPayload[]): ScriptedAnswers {
	return { query_tasks: () => ({ tasks }) };
}

const everything = listing(done, taskPayload(), part);
const submitted = { task_id: "task_2", status: "submitted" } as const;
const replied = { task_id: id, status: "replied" } as const;

interface Scenario {
	readonly name: string;
	readonly command: string;
	readonly options?: Readonly<Record<string, string>>;
	readonly answers: ScriptedAnswers;
	readonly says: string | RegExp;
	readonly asks: { readonly method: string; readonly params: object; readonly sessionId?: string };
}

const scenarios: readonly Scenario[] = [
	{
		name: "a task has the beginning of its text as its title",
		command: "task new",
		options: { text: "Tidy *up* the\nhouse" },
		answers: { submit_task: () => submitted },
		says: "Task **Tidy \\*up\\* the house** is queued. Its card shows the progress.",
		asks: {
			method: "submit_task",
			params: { title: "Tidy *up* the house", description: "Tidy *up* the\nhouse", priority: "normal" },
			sessionId: "sess_1",
		},
	},
	{
		name: "a task goes without what it cannot have, and says so",
		command: "task new",
		options: { text: "x", title: "Tidy", agent: "coder", priority: "high" },
		answers: { submit_task: () => ({ ...submitted, notes: ["tools: none", "agent: *none*"] }) },
		says: "Task **Tidy** is queued. Its card shows the progress.\n- agent: \\*none\\*",
		asks: { method: "submit_task", params: { title: "Tidy", agent: "coder", priority: "high" } },
	},
	{
		name: "the list has what is open first, and no parts",
		command: "task list",
		answers: everything,
		says: "1. **Tidy \\*up\\*** · ▶️ In progress, ▰▱▱ 1 of 3 · {1 s}\n2. **Old** · ✅ Done · {1 s}",
		asks: { method: "query_tasks", params: { limit: 100, place: { tenant: "1", channel: "2" } } },
	},
	{
		name: "where there are no tasks, the list says how to submit one",
		command: "task list",
		answers: listing(),
		says: "This channel has no tasks yet. `/task new` starts one.",
		asks: { method: "query_tasks", params: {} },
	},
	{
		name: "a task is shown by its title, with what it has cost",
		command: "task show",
		options: { id: "tidy *UP*" },
		answers: { ...everything, check_task: () => taskPayload() },
		says: "**Tidy \\*up\\***\n▶️ In progress\n▰▱▱ 1 of 3\n\nrequested {1 s} · started {5 s} · agent default · 1,200 tokens in, 34 out, $0.04\n\n**Request**\n\nSplit *it*",
		asks: { method: "check_task", params: { task_id: id } },
	},
	{
		name: "a task that waits shows its question, and one with a plan its plan",
		command: "task show",
		options: { id },
		answers: {
			check_task: () => ({
				...waiting,
				description: "",
				output: "four",
				plan: [
					{ title: "look", status: "completed" },
					{ title: "tell", status: "skipped" },
				],
			}),
		},
		says: /\n\n\*\*Plan\*\*\n- \[x\] look\n- \[ \] tell \(skipped\)\n\n\*\*Waiting for your answer\*\*: A schema\n\na \*table\*\n\n\*\*Result\*\*\n\nfour$/,
		asks: { method: "check_task", params: { task_id: id } },
	},
	{
		name: "a task is cancelled with a reason",
		command: "task cancel",
		options: { id: "tidy", reason: "No need" },
		answers: { ...everything, cancel_task: () => ({ task_id: id, status: "cancelled" }) },
		says: "Cancelled **Tidy \\*up\\*** with all its subtasks.",
		asks: { method: "cancel_task", params: { task_id: id, reason: "No need", key: "key" } },
	},
	{
		name: "a task that had ended cannot be cancelled",
		command: "task cancel",
		options: { id },
		answers: { cancel_task: () => ({ task_id: id, status: "failed" }), check_task: () => taskPayload() },
		says: "**Tidy \\*up\\*** had already ended: ❌ Failed.",
		asks: { method: "check_task", params: { task_id: id } },
	},
	{
		name: "approve lets a task go on",
		command: "task reply",
		options: { id: "aaaaaa", text: "approve" },
		answers: { ...everything, check_task: () => waiting, reply_task: () => replied },
		says: "Approved: **Tidy \\*up\\*** continues.",
		asks: { method: "reply_task", params: { task_id: id, status: "approved", token, key: "key" } },
	},
	{
		name: "other words tell a task what should change",
		command: "task reply",
		options: { id, text: "views" },
		answers: { check_task: () => waiting, reply_task: () => replied },
		says: "Answered: **Tidy \\*up\\*** continues with your changes.",
		asks: { method: "check_task", params: { task_id: id } },
	},
	{
		name: "a task that asks nothing cannot be answered",
		command: "task reply",
		options: { id, text: "views" },
		answers: { check_task: () => taskPayload() },
		says: "Already answered: **Tidy \\*up\\*** continues.",
		asks: { method: "check_task", params: { task_id: id } },
	},
];

function run(answers: ScriptedAnswers, command: string, options: Readonly<Record<string, string>> = {}) {
	const { context, gateway } = scriptedContext(answers);
	const found = taskCommands.find(({ name }) => name === command);
	return { gateway, reply: found?.run(context, commanded(command, options)) };
}

test.each(scenarios)("$name", async ({ command, options, answers, says, asks }) => {
	const { reply, gateway } = run(answers, command, options);
	expect((await reply)?.text).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
	expect(gateway.requests.at(-1)).toMatchObject(asks);
});

test("a new task of a message is answered by its card, and only notes need another post", async () => {
	const command = taskCommands.find(({ name }) => name === "task new");
	const answer = async (notes: readonly string[]) => {
		const { context } = scriptedContext({ submit_task: () => ({ ...submitted, notes: [...notes] }) });
		return command?.run(context, { ...commanded("task new", { text: "x", title: "Tidy" }), message: "m1" });
	};
	expect(await answer(["tools: none"])).toBeUndefined();
	expect((await answer(["agent: none"]))?.text).toContain("agent: none");
});

test.each([
	["aaaaa", /more than one task matches “aaaaa”: use a number from \/task list$/],
	["same", /more than one task matches “same”/],
	["zzzzzz", /there is no task “zzzzzz” here: use a title or a number from \/task list$/],
	["a", /there is no task “a” here/],
	["2", /there is no task “2” here/],
])("the name %s is refused with an explanation", async (typed, message) => {
	const { reply } = run(listing(alike, taskPayload(), ...twins, part), "task cancel", { id: typed });
	await expect(reply).rejects.toThrow(message);
});

const waits = { person: ada, room: general, options: {} };

test.each([
	["task show", "", ["Tidy *up* · ⏸️ Waiting for your answer", "Old · ✅ Done"]],
	["task show", "OLD", ["Old · ✅ Done"]],
	["task show", "abbbbb", ["Old · ✅ Done"]],
	["task cancel", "", ["Tidy *up* · ⏸️ Waiting for your answer"]],
	["task reply", "x", []],
])("%s suggests the tasks that %j matches", async (command, typed, labels) => {
	const { context } = scriptedContext(listing(waiting, done, part));
	const found = taskCommands.find(({ name }) => name === command);
	const proposed = await found?.complete?.(context, { option: "id", typed, ...waits });
	expect(proposed?.map(({ label }) => label)).toEqual(labels);
});

test("task new suggests the agents that can do the task", async () => {
	const agents = [
		{ name: "coder", title: "Coder", sampling: {} },
		{ name: "writer", title: "", sampling: {} },
	];
	const { context } = scriptedContext({ list_agents: () => ({ agents, problems: [] }) });
	const create = taskCommands.find(({ name }) => name === "task new");
	const proposed = (typed: string) => create?.complete?.(context, { option: "agent", typed, ...waits });
	expect(await proposed("WRI")).toEqual([{ value: "writer", label: "writer" }]);
	expect(await proposed("")).toHaveLength(2);
});

test("a number refers to the list of tasks that the person saw, also after the list has changed", async () => {
	const tasks = [taskPayload(), done];
	const { context, gateway } = scriptedContext({
		query_tasks: () => ({ tasks: [...tasks] }),
		check_task: ({ task_id }) => taskPayload({ id: task_id }),
	});
	const command = (name: string) => taskCommands.find((each) => each.name === name);
	const show = async (number: string) => {
		await command("task show")?.run(context, commanded("task show", { id: number }));
		return gateway.requests.at(-1)?.params;
	};
	await expect(show("2")).rejects.toThrow("there is no task “2” here");
	await command("task list")?.run(context, commanded("task list"));
	tasks.unshift(alike);
	expect([await show("1"), await show("#2")]).toMatchObject([{ task_id: id }, { task_id: done.id }]);
	await expect(show("3")).rejects.toThrow("there is no task “3” here");
});

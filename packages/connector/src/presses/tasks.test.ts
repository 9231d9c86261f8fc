import { ParleyError } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { Controls } from "../controls/controls.ts";
import { emptyConversation } from "../conversation/conversation.ts";
import { reviewSubject } from "../conversation/tasks/review-card.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { ada, general, pressed, scriptedContext, taskPayload, unfit } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { pressesOfTasks, replyToTask } from "./tasks.ts";

const { id } = taskPayload();
const token = "review_01234567890123456789cccccc";
const suspension = { reason: "A schema change", plan_content: "a table", token };
const waiting = taskPayload({ status: "suspended", suspension });
const behalf = {
	actor: { id: "42", name: "Ada", roles: [], guest: false },
	place: { tenant: "1", channel: "2", thread: undefined, shared: false },
};
const review = reviewSubject({ task: id, token });
const newer = { ...suspension, token: "review_01234567890123456789dddddd" };
const replied = { task_id: id, status: "replied" } as const;

function fail(): never {
	throw new ParleyError(`task not found: ${id}`, { code: "not_found" });
}

function read(reply: Reply | undefined): string | undefined {
	const buttons = (reply?.controls ?? []).flat().map((one) => ("label" in one ? `[${one.label}]` : "{}"));
	return reply && [reply.text, ...buttons].join(" ");
}

interface Scenario {
	readonly name: string;
	readonly kind: keyof typeof pressesOfTasks;
	readonly subject: string;
	readonly fields?: Readonly<Record<string, string>>;
	readonly answers: ScriptedAnswers;
	readonly over?: true;
	readonly asks: object;
	readonly reply?: string;
}

const check = { method: "check_task", params: { task_id: id, ...behalf } };

const scenarios: readonly Scenario[] = [
	{
		name: "approve answers the very question whose button was pressed, for the person who pressed it",
		kind: "task-approve",
		subject: review,
		answers: { check_task: () => waiting, reply_task: () => replied },
		asks: {
			method: "reply_task",
			params: { task_id: id, status: "approved", token, key: "key", ...behalf },
		},
	},
	{
		name: "revise sends what was written in the form",
		kind: "task-revise",
		subject: review,
		fields: { text: "No *tables*" },
		answers: { check_task: () => waiting, reply_task: () => replied },
		asks: {
			method: "reply_task",
			params: { task_id: id, status: "revise", feedback: "No *tables*", token, key: "key", ...behalf },
		},
	},
	{
		name: "an older card does not answer a newer question",
		kind: "task-approve",
		subject: review,
		answers: { check_task: () => ({ ...waiting, suspension: newer }) },
		asks: check,
		reply: "**Tidy \\*up\\*** has a newer question. Answer that question.",
	},
	{
		name: "a question that was answered is explained",
		kind: "task-approve",
		subject: review,
		answers: { check_task: () => taskPayload() },
		asks: check,
		reply: "Already answered: **Tidy \\*up\\*** continues.",
	},
	{
		name: "who loses the race for an answer is told so",
		kind: "task-approve",
		subject: review,
		answers: {
			check_task: answersInTurn(waiting, taskPayload()),
			reply_task: () => {
				throw unfit();
			},
		},
		asks: check,
		reply: "Already answered: **Tidy \\*up\\*** continues.",
	},
	{
		name: "a question of a task that is over is explained",
		kind: "task-revise",
		subject: review,
		fields: { text: "x" },
		answers: { check_task: () => taskPayload({ status: "failed" }) },
		asks: check,
		reply: "**Tidy \\*up\\*** has ended (❌ Failed). **Retry** starts it again as a new task. [Retry]",
	},
	{
		name: "cancel ends the task, and the card says the rest",
		kind: "task-cancel",
		subject: id,
		answers: { cancel_task: () => ({ task_id: id, status: "cancelled" }) },
		asks: { method: "cancel_task", params: { task_id: id, key: "key", ...behalf } },
	},
	{
		name: "cancel of what had ended says how it ended, and when",
		kind: "task-cancel",
		subject: id,
		answers: {
			cancel_task: () => ({ task_id: id, status: "completed" }),
			check_task: () => taskPayload({ status: "completed", completed_at: "1970-01-01T00:00:07Z" }),
		},
		asks: check,
		reply: "This task had already ended: ✅ Done, {7 s}.",
	},
	{
		name: "cancel of what somebody else has cancelled says who did, and when",
		kind: "task-cancel",
		subject: id,
		over: true,
		answers: {
			cancel_task: () => ({ task_id: id, status: "cancelled" }),
			check_task: () => taskPayload({ status: "cancelled", completed_at: "1970-01-01T00:00:07Z" }),
		},
		asks: check,
		reply: "This task had already ended: ⏹️ Cancelled by @7, {7 s}.",
	},
	{
		name: "retry submits the task once more, with one key for all presses of that button",
		kind: "task-retry",
		subject: id,
		answers: { retry_task: () => ({ task_id: "task_2", status: "submitted" }) },
		asks: { method: "retry_task", params: { task_id: id, key: `retry/${id}`, ...behalf } },
		reply: "Started again as a new task with its own card.",
	},
	{
		name: "a second person who retries does not get a second task",
		kind: "task-retry",
		subject: id,
		answers: {
			retry_task: () => {
				throw new ParleyError('invalid params: key "…" was used for another request: use another key', {
					code: "invalid_argument",
				});
			},
		},
		asks: { method: "retry_task", params: { task_id: id, key: `retry/${id}`, ...behalf } },
		reply: "Already started again: see its new card.",
	},
	{
		name: "retry of a task at work is explained",
		kind: "task-retry",
		subject: id,
		answers: {
			retry_task: () => {
				throw unfit();
			},
		},
		asks: { method: "retry_task", params: { task_id: id, key: `retry/${id}`, ...behalf } },
		reply: "This task has not ended yet. You can retry it when it has ended.",
	},
	{
		name: "a task that the gateway has forgotten is told by what is remembered of it",
		kind: "task-cancel",
		subject: id,
		over: true,
		answers: { cancel_task: fail },
		asks: { method: "cancel_task", params: { task_id: id, key: "key", ...behalf } },
		reply:
			"**Tidy \\*up\\*** has ended (⏹️ Cancelled), and the gateway no longer has it. `/task new` starts another task.",
	},
];

function answersInTurn(...tasks: TaskPayload[]): () => TaskPayload {
	return () => tasks.shift() ?? fail();
}

const ended = {
	tasks: { live: [], ended: [{ id, title: "Tidy *up*", state: "cancelled" as const, by: "discord:1:7" }] },
};

test.each(scenarios)("$name", async ({ kind, subject, fields, answers, over, asks, reply }) => {
	const { context, gateway } = scriptedContext(answers, over ? ended : {});
	const pressReply = await pressesOfTasks[kind](context, pressed(fields), {
		kind,
		session: "sess_1",
		subject,
	});
	expect(gateway.requests.at(-1)).toEqual(asks);
	expect(read(pressReply)).toBe(reply);
});

test("a refusal of the gateway is passed on", async () => {
	const { context } = scriptedContext({
		cancel_task: () => {
			throw new ParleyError("forbidden: …", { code: "permission_denied" });
		},
	});
	const target = { kind: "task-cancel", session: "sess_1", subject: id } as const;
	await expect(pressesOfTasks["task-cancel"](context, pressed(), target)).rejects.toMatchObject({
		code: "permission_denied",
	});
});

test("the id of a review button fits the limit of the platform with the longest ids", () => {
	const session = "sess_01234567890123456789abcdef";
	const written = new Controls("x").write({ kind: "task-approve", session, subject: review });
	expect(written.length).toBeLessThanOrEqual(100);
	expect(new Controls("x").read(written)).toEqual({ kind: "task-approve", session, subject: review });
});

const part = "task_01234567890123456789bbbbbb";
const liveWithPart = {
	...emptyConversation.tasks,
	live: [
		{
			id,
			title: "Tidy up",
			state: "running" as const,
			createdAt: 0,
			workers: [{ id: part, parent: id, title: "Look", state: "suspended" as const }],
			reviews: [{ token, task: part, title: "Look", reason: "" }],
		},
	],
};

test.each([
	["Yes!", { status: "approved" }],
	["go ahead", { status: "approved" }],
	["ok.", { status: "approved" }],
	["APPROVE", { status: "approved" }],
	["yes, but no tables", { status: "revise", feedback: "yes, but no tables" }],
	[" use views ", { status: "revise", feedback: "use views" }],
])("%j in the thread of a suspended task answers it", async (text, pressReply) => {
	const { context, gateway } = scriptedContext({ check_task: () => waiting, reply_task: () => replied });
	expect(
		await replyToTask(context, { person: ada, room: general, key: "key", taskId: id, text }),
	).toBeUndefined();
	expect(gateway.requests.at(-1)).toEqual({
		method: "reply_task",
		params: { task_id: id, token, key: "key", ...pressReply, ...behalf },
	});
});

test("a reply in the thread answers the question of a worker if the task itself has no question", async () => {
	const { context, gateway } = scriptedContext(
		{
			check_task: ({ task_id }) => (task_id === part ? { ...waiting, id: part } : taskPayload()),
			reply_task: () => ({ task_id: part, status: "replied" }),
		},
		{ tasks: liveWithPart },
	);
	await replyToTask(context, { person: ada, room: general, key: "key", taskId: id, text: "views" });
	expect(gateway.requests.at(-1)).toMatchObject({ method: "reply_task", params: { task_id: part, token } });
});

test.each<[string, TaskPayload, string, RegExp]>([
	["a task at work", taskPayload(), "faster", /has no open question\..*\[Cancel\]$/],
	["a task that is done", taskPayload({ status: "completed" }), "again", /ended \(✅ Done\).*\[Retry\]$/],
	["nothing but a file", waiting, " ", /^Write the changes/],
])("a reply in a thread that is not suitable for %s is explained", async (_name, task, text, explained) => {
	const { context, gateway } = scriptedContext({ check_task: () => task });
	const reply = await replyToTask(context, { person: ada, room: general, key: "key", taskId: id, text });
	expect(read(reply)).toMatch(explained);
	expect(gateway.requests).toHaveLength(1);
});

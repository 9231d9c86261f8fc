import type { RecordedEvent, TransientEvent } from "@parley/core";

/** A value with all of its optional fields, at any depth. */
type Complete<Value> = Value extends readonly (infer Item)[]
	? readonly Complete<Item>[]
	: Value extends object
		? { readonly [Key in keyof Value]-?: Complete<Exclude<Value[Key], undefined>> }
		: Value;

type EventOf<Kind extends string> = Extract<RecordedEvent, { readonly type: Kind }>;

/** One complete event of each type. */
type Each<Event extends { readonly type: string }> = {
	readonly [Type in Event["type"]]: Complete<Extract<Event, { readonly type: Type }>>;
};

type OfPrompts = EventOf<`prompt.${string}`>;
type OfTools = EventOf<`${"tool" | "file" | "todo" | "command" | "grant"}.${string}`>;
type OfModels = EventOf<`${"model" | "run" | "usage" | "budget" | "context" | "compaction"}.${string}`>;
type OfSchedules = EventOf<`schedule.${string}`>;
type OfSkills = EventOf<`skill.${string}`>;
type OfTasks = EventOf<`${"task" | "worker"}.${string}`>;
type OfSessions = Exclude<RecordedEvent, OfPrompts | OfTools | OfModels | OfSchedules | OfSkills | OfTasks>;

const listLength = 1_000;
const usage = {
	inputTokens: Number.MAX_SAFE_INTEGER,
	outputTokens: Number.MAX_SAFE_INTEGER,
	cacheReadTokens: Number.MAX_SAFE_INTEGER,
	cacheWriteTokens: Number.MAX_SAFE_INTEGER,
	cacheHourTokens: Number.MAX_SAFE_INTEGER,
};
const spent = { ...usage, cost: Number.MAX_SAFE_INTEGER };

/**
 * Returns one event of each recorded type. All optional fields are present, all strings are `text`, and all lists are
 * long. Free-form arguments have many keys.
 */
export function largestEvents(text: string): readonly RecordedEvent[] {
	return [
		largestOfSessions,
		largestOfPrompts,
		largestOfTools,
		largestOfModels,
		largestOfSchedules,
		largestOfSkills,
		largestOfTasks,
	].flatMap((create): RecordedEvent[] => Object.values(create(text)));
}

/** Returns the largest transient events, except parts of a reply, which are sent in pieces. */
export function largestTransientEvents(text: string): readonly TransientEvent[] {
	const call = { runId: text, callId: text };
	return [
		{ type: "response.started", runId: text },
		{ type: "arguments.started", ...call, index: 1, name: text },
		{ type: "arguments.ended", ...call, index: 1, name: text, length: 1 },
		{ type: "model.calling", runId: text, model: text, provider: text, messages: 1, auxiliary: true },
		{ type: "todo.shown", ...call, steps: planOf(text) },
		{ type: "prompt.shown", prompt: promptOf(text) },
		{ type: "session.deleted" },
	];
}

function listOf(text: string): readonly string[] {
	return Array<string>(listLength).fill(text.slice(0, 40));
}

function argumentsOf(text: string): unknown {
	return Object.fromEntries(listOf(text).map((item, index) => [`${index} ${item}`, item]));
}

function filesOf(text: string) {
	return listOf(text).map((item) => ({ id: item, name: item, mediaType: item, bytes: 1 }));
}

function planOf(text: string) {
	return listOf(text).map((title) => ({ title, state: "skipped" as const, durationMs: 1 }));
}

function noticeOf(text: string) {
	const list = listOf(text);
	return { people: list, roles: list, by: list.map(() => "mention" as const), channels: list };
}

function originOf(text: string) {
	return { scheduleId: text, title: text, show: "thread" as const, dueAt: 1, late: true };
}

function promptOf(text: string): Complete<EventOf<"prompt.requested">["prompt"]> {
	const list = listOf(text);
	return {
		token: text,
		runId: text,
		type: "confirm",
		label: text,
		required: true,
		options: list.map((value) => ({ value, label: value, description: value, disabled: false })),
		validation: text,
		placeholder: text,
		expiresAt: 1,
		callId: text,
		remindAt: 1,
		taskId: text,
		approval: {
			callId: text,
			tool: text,
			arguments: argumentsOf(text),
			preview: text,
			risk: "critical",
			allowSession: true,
			notes: list,
			warnings: list,
			approvals: 2,
			changes: 1,
			alsoIn: list,
			reply: { id: text, place: 1, count: 1 },
			notify: noticeOf(text),
			offered: {
				tool: text,
				classes: list.map(() => "exec-unsandboxed" as const),
				commands: list.map((word) => ({ words: [word, word], exact: true })),
			},
		},
	};
}

function largestOfSessions(text: string): Each<OfSessions> {
	const run = { runId: text, content: text, origin: originOf(text), imported: true } as const;
	return {
		"session.created": { type: "session.created", forkedFrom: { sessionId: text, turns: 1 } },
		"session.closed": { type: "session.closed" },
		"session.renamed": { type: "session.renamed", title: text, by: "person" },
		"user.message": {
			type: "user.message",
			...run,
			correlation: text,
			author: { id: text, name: text },
			steered: true,
			retryOf: text,
			attachments: filesOf(text),
		},
		"assistant.message": {
			type: "assistant.message",
			...run,
			error: text,
			cause: "refusal",
			joined: text,
			stoppedBy: text,
			model: text,
			usage,
			cost: 1,
			trusted: { grantId: text, until: 1 },
		},
	};
}

function largestOfPrompts(text: string): Each<OfPrompts> {
	const vote = { token: text, by: text, byName: text };
	return {
		"prompt.requested": { type: "prompt.requested", prompt: promptOf(text) },
		"prompt.answered": {
			type: "prompt.answered",
			...vote,
			value: listOf(text),
			arguments: argumentsOf(text),
			remembered: true,
			reason: text,
			voters: listOf(text),
			cancelled: false,
		},
		"prompt.voted": { type: "prompt.voted", ...vote, approvals: 1, needed: 2, changed: promptOf(text) },
		"prompt.closed": { type: "prompt.closed", token: text, reason: text, by: text },
		"prompt.reminded": {
			type: "prompt.reminded",
			token: text,
			runId: text,
			label: text,
			expiresAt: 1,
			notify: { ...noticeOf(text), escalated: true },
		},
	};
}

function largestOfTools(text: string): Each<OfTools> {
	const ids = { runId: text, callId: text };
	const call = { ...ids, name: text, imported: true } as const;
	const command = { ...ids, n: 1, command: text };
	return {
		"tool.started": {
			type: "tool.started",
			...call,
			arguments: argumentsOf(text),
			trusted: { grantId: text, until: 1 },
		},
		"tool.completed": {
			type: "tool.completed",
			...call,
			result: text,
			pictures: listOf(text).map(() => ({ mediaType: "image/png", bytes: 1 })),
			durationMs: 1,
		},
		"tool.failed": { type: "tool.failed", ...call, error: text, durationMs: 1 },
		"file.created": {
			type: "file.created",
			...ids,
			file: { id: text, name: text, mediaType: text, bytes: 1 },
			imported: true,
		},
		"todo.updated": { type: "todo.updated", ...ids, steps: planOf(text) },
		"command.started": { type: "command.started", ...command },
		"command.ended": {
			type: "command.ended",
			...command,
			ending: { reason: "timed_out", code: 1 },
			by: text,
		},
		"grant.created": { type: "grant.created", grant: grantOf(text) },
		"grant.ended": { type: "grant.ended", grantId: text, reason: text },
	};
}

function grantOf(text: string): EventOf<"grant.created">["grant"] {
	const list = listOf(text);
	return {
		id: text,
		place: text,
		people: list,
		tools: list,
		classes: list,
		maxActions: 1,
		usedActions: 1,
		reason: text,
		grantedBy: text,
		createdAt: 1,
		expiresAt: 1,
	};
}

function largestOfModels(text: string): Each<OfModels> {
	const run = { runId: text };
	const tokens = { tokensBefore: Number.MAX_SAFE_INTEGER, tokensAfter: Number.MAX_SAFE_INTEGER };
	return {
		"model.called": {
			type: "model.called",
			...run,
			model: text,
			provider: text,
			messages: 1,
			usage,
			cost: 1,
			durationMs: 1,
			error: text,
			fault: "unauthenticated",
			text,
		},
		"run.retrying": { type: "run.retrying", ...run, reason: text, inMs: 1, attempt: 1, model: text },
		"usage.updated": { type: "usage.updated", ...run, run: spent, session: spent },
		"budget.reached": {
			type: "budget.reached",
			scope: "gateway",
			period: "day",
			percent: 100,
			spent: Number.MAX_SAFE_INTEGER,
			limit: Number.MAX_SAFE_INTEGER,
		},
		"context.compacted": { type: "context.compacted", ...run, level: "tool_results", ...tokens, error: text },
		"compaction.ended": { type: "compaction.ended", status: "compacted", ...tokens, error: text },
	};
}

function largestOfSchedules(text: string): Each<OfSchedules> {
	const schedule = { scheduleId: text, title: text };
	const trigger = { kind: "cron", cron: "0 9 * * *", timeZone: "Europe/Berlin" } as const;
	return {
		"schedule.created": {
			type: "schedule.created",
			...schedule,
			trigger,
			show: "thread",
			owner: text,
			nextDue: 1,
		},
		"schedule.trigger": {
			type: "schedule.trigger",
			...originOf(text),
			trigger,
			runId: text,
			error: text,
		},
		"schedule.removed": { type: "schedule.removed", ...schedule, reason: "completed", by: text },
	};
}

function largestOfSkills(text: string): Each<OfSkills> {
	const skill = { runId: text, callId: text, skill: text };
	const step = { ...skill, stepId: text, title: text, model: text, taskId: text, attempt: 1 };
	const ended = { output: text, error: text, durationMs: 1 };
	return {
		// `ARGUMENTS` is the only variable.
		"skill.started": { type: "skill.started", ...skill, kind: "multi-step", vars: { ARGUMENTS: text } },
		"skill.step.started": { type: "skill.step.started", ...step },
		"skill.step.completed": {
			type: "skill.step.completed",
			...step,
			...ended,
			reason: text,
			willRetry: true,
		},
		"skill.completed": { type: "skill.completed", ...skill, ...ended },
	};
}

function largestOfTasks(text: string): Each<OfTasks> {
	const task = { taskId: text };
	const titled = { ...task, title: text };
	return {
		"task.created": { type: "task.created", ...titled, description: text, parentId: text, by: text },
		"task.started": { type: "task.started", ...titled },
		"task.progress": {
			type: "task.progress",
			...task,
			usage: spent,
			progress: { current: 1, total: 1, label: text, percentage: 100 },
			plan: planOf(text),
		},
		"task.suspended": {
			type: "task.suspended",
			...titled,
			usage: spent,
			reason: text,
			content: text,
			token: text,
			suspendCount: 1,
		},
		"task.resumed": { type: "task.resumed", ...titled },
		"task.completed": { type: "task.completed", ...titled, summary: text, durationMs: 1, usage: spent },
		"task.failed": {
			type: "task.failed",
			...titled,
			usage: spent,
			error: text,
			retryCount: 1,
			willRetry: true,
		},
		"task.cancelled": { type: "task.cancelled", ...task, usage: spent, reason: text, by: text },
		"worker.started": { type: "worker.started", ...titled, parentId: text, agent: text },
		"worker.phased": { type: "worker.phased", ...task, phase: "thinking", ooda: "observe" },
		"worker.completed": { type: "worker.completed", ...task, summary: text },
		"worker.failed": { type: "worker.failed", ...task, error: text },
		"worker.exited": { type: "worker.exited", ...task },
	};
}

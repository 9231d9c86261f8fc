import type { Prompt, Recorded, RecordedEvent, TaskEvent, TransientEvent, WorkerEvent } from "@parley/core";
import { isOzzieEvent } from "@parley/protocol";
import { describe, expect, test } from "vitest";
import { decodeEventName, encodeEvent, type ModelEvent } from "./event-json.ts";
import { isWireEvent, type WireEvent, type WirePassing, weightOf } from "./wire-event.ts";

const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 2, cacheWriteTokens: 1 };
const shownUsage = { tokens_input: 3, tokens_output: 4, tokens_cache_read: 2, tokens_cache_write: 1 };
const call = { runId: "run_1", callId: "call_1", name: "run_command" };
const shown = { call_id: "call_1", name: "run_command" };

const question: Prompt = {
	token: "prompt_1",
	runId: "run_1",
	type: "select",
	label: "Which?",
	required: true,
	options: [{ value: "a", label: "A", description: "the first", disabled: false }],
	validation: "",
	placeholder: "",
	expiresAt: Date.UTC(2026, 0, 2),
};
const shownQuestion = {
	type: "select",
	label: "Which?",
	token: "prompt_1",
	required: true,
	options: [{ value: "a", label: "A", description: "the first", disabled: false }],
	default: null,
	placeholder: "",
	validation: "",
	context: { expires_at: "2026-01-02T00:00:00.000Z" },
};
const approval: Prompt = {
	...question,
	type: "confirm",
	label: "Allow run ls?",
	options: [],
	approval: {
		callId: "call_1",
		tool: "run_command",
		arguments: { cmd: "ls" },
		preview: "",
		risk: "normal",
		allowSession: false,
		notes: ["in /srv"],
	},
};
const shownApproval = {
	...shownQuestion,
	type: "confirm",
	label: "Allow run ls?",
	options: [],
	context: {
		call_id: "call_1",
		tool: "run_command",
		arguments: { cmd: "ls" },
		preview: "",
		risk: "normal",
		allow_session: false,
		expires_at: "2026-01-02T00:00:00.000Z",
		notes: ["in /srv"],
	},
};

/** Events that no other test covers: all except the events of models, tasks and workers. */
type OtherEvent<Event> = Exclude<Event, ModelEvent | TaskEvent | WorkerEvent>;

type Pairs<Event extends { readonly type: string }> = {
	readonly [Type in Event["type"]]: readonly (readonly [
		Extract<Event, { type: Type }>,
		{ readonly event: string; readonly payload: unknown },
	])[];
};

const file = { id: "file_1", name: "a.png", mediaType: "image/png", bytes: 3 };
const shownFile = { file_id: "file_1", name: "a.png", type: "image/png", bytes: 3, url: "/api/files/file_1" };

const grant = {
	id: "grant_1",
	place: "discord:g:c",
	people: null,
	tools: ["run_command"],
	classes: null,
	maxActions: 200,
	usedActions: 3,
	reason: "a release",
	grantedBy: "operator",
	createdAt: Date.UTC(2026, 0, 1),
	expiresAt: Date.UTC(2026, 0, 1, 4),
};
const shownGrant = {
	grant_id: "grant_1",
	place: "discord:g:c",
	people: null,
	tools: ["run_command"],
	classes: null,
	max_actions: 200,
	used_actions: 3,
	reason: "a release",
	granted_by: "operator",
	created_at: "2026-01-01T00:00:00.000Z",
	expires_at: "2026-01-01T04:00:00.000Z",
};

const ofCommand = { runId: "run_1", callId: "call_1", n: 2, command: "make" };
const shownCommand = { run_id: "run_1", call_id: "call_1", number: 2, command: "make" };
const ofSkill = { runId: "run_1", callId: "", skill: "deploy" };
const shownSkill = { run_id: "run_1", call_id: "", skill_name: "deploy" };
const ofStep = { stepId: "build", title: "Building", model: "m1", taskId: "task_1", attempt: 1 };
const shownStep = { step_id: "build", step_title: "Building", model: "m1", task_id: "task_1", attempt: 1 };

/** Recorded events with their frames. An event without its frame fails to compile. */
const recorded: Pairs<OtherEvent<RecordedEvent>> = {
	"command.started": [
		[
			{ type: "command.started", runId: "run_1", callId: "call_1", n: 1, command: "npm run dev" },
			{
				event: "command.started",
				payload: { number: 1, command: "npm run dev", run_id: "run_1", call_id: "call_1" },
			},
		],
	],
	"command.ended": [
		[
			{ ...ofCommand, type: "command.ended", ending: { reason: "exited", code: 1 } },
			{ event: "command.ended", payload: { ...shownCommand, reason: "exited", exit_code: 1 } },
		],
		[
			{ ...ofCommand, type: "command.ended", ending: { reason: "stopped", code: null }, by: "ada" },
			{ event: "command.ended", payload: { ...shownCommand, reason: "stopped", by: "ada" } },
		],
	],
	"grant.created": [
		[
			{ type: "grant.created", grant },
			{ event: "grant.created", payload: shownGrant },
		],
	],
	"grant.ended": [
		[
			{ type: "grant.ended", grantId: "grant_1", reason: "revoked" },
			{ event: "grant.ended", payload: { grant_id: "grant_1", reason: "revoked" } },
		],
	],
	"schedule.created": [
		[
			{
				type: "schedule.created",
				scheduleId: "sched_1",
				title: "Standup",
				show: "post",
				owner: "operator",
				nextDue: Date.UTC(2026, 0, 1, 8),
				trigger: { kind: "cron", cron: "0 9 * * *", timeZone: "Europe/Berlin" },
			},
			{
				event: "schedule.created",
				payload: {
					entry_id: "sched_1",
					title: "Standup",
					source: "dynamic",
					show: "post",
					owner: "operator",
					when: "cron 0 9 * * * (Europe/Berlin)",
					cron_spec: "0 9 * * *",
					time_zone: "Europe/Berlin",
					next_due: "2026-01-01T08:00:00.000Z",
				},
			},
		],
	],
	"schedule.trigger": [
		[
			{
				type: "schedule.trigger",
				scheduleId: "sched_1",
				title: "Standup",
				show: "silent",
				late: true,
				dueAt: Date.UTC(2026, 0, 1, 8),
				trigger: { kind: "event", event: "task.failed" },
				runId: "run_1",
				error: "",
			},
			{
				event: "schedule.trigger",
				payload: {
					entry_id: "sched_1",
					title: "Standup",
					show: "silent",
					late: true,
					error: "",
					due_at: "2026-01-01T08:00:00.000Z",
					trigger: "event:task.failed",
					skill_name: "",
					task_id: "",
					run_id: "run_1",
				},
			},
		],
	],
	"schedule.removed": [
		[
			{ type: "schedule.removed", scheduleId: "sched_1", title: "Standup", reason: "completed", by: "" },
			{
				event: "schedule.removed",
				payload: { entry_id: "sched_1", title: "Standup", reason: "completed", by: "" },
			},
		],
	],
	"session.created": [
		[{ type: "session.created" }, { event: "session.created", payload: {} }],
		[
			{ type: "session.created", forkedFrom: { sessionId: "sess_1", turns: 2 } },
			{ event: "session.created", payload: { forked_from: { session_id: "sess_1", at: 2 } } },
		],
	],
	"session.closed": [[{ type: "session.closed" }, { event: "session.closed", payload: {} }]],
	"user.message": [
		[
			{ type: "user.message", runId: "run_1", content: "hi" },
			{ event: "user.message", payload: { content: "hi", run_id: "run_1" } },
		],
		[
			{ type: "user.message", runId: "run_1", content: "hi", author: { id: "u1", name: "Ada" } },
			{
				event: "user.message",
				payload: { content: "hi", run_id: "run_1", author: { id: "u1", name: "Ada" } },
			},
		],
		[
			{ type: "user.message", runId: "run_1", content: "hi", correlation: "msg:7" },
			{ event: "user.message", payload: { content: "hi", run_id: "run_1", correlation_id: "msg:7" } },
		],
		[
			{ type: "user.message", runId: "run_1", content: "hi", imported: true },
			{ event: "user.message", payload: { content: "hi", run_id: "run_1", imported: true } },
		],
		[
			{ type: "user.message", runId: "run_1", content: "and", steered: true },
			{ event: "user.message", payload: { content: "and", run_id: "run_1", steered: true } },
		],
		[
			{ type: "user.message", runId: "run_2", content: "hi", retryOf: "run_1" },
			{ event: "user.message", payload: { content: "hi", run_id: "run_2", retry_of: "run_1" } },
		],
		[
			{ type: "user.message", runId: "run_1", content: "look", attachments: [file] },
			{
				event: "user.message",
				payload: { content: "look", run_id: "run_1", attachments: [shownFile] },
			},
		],
	],
	"assistant.message": [
		[
			{
				type: "assistant.message",
				runId: "run_1",
				content: "ho",
				error: "",
				model: "m",
				usage,
				imported: true,
			},
			{
				event: "assistant.message",
				payload: { content: "ho", error: "", context: {}, run_id: "run_1", imported: true },
			},
		],
		[
			{ type: "assistant.message", runId: "run_1", content: "ho", error: "", model: "m", usage },
			{
				event: "assistant.message",
				payload: { content: "ho", error: "", context: { model: "m", usage: shownUsage }, run_id: "run_1" },
			},
		],
		[
			{
				type: "assistant.message",
				runId: "run_1",
				content: "",
				error: "cancelled",
				stoppedBy: "discord:1:2",
				model: "",
				usage,
			},
			{
				event: "assistant.message",
				payload: {
					...{ content: "", error: "cancelled", context: {} },
					run_id: "run_1",
					stopped_by: "discord:1:2",
				},
			},
		],
	],
	"tool.started": [
		[
			{ type: "tool.started", ...call, arguments: {}, imported: true },
			{ event: "tool.call", payload: { ...shown, status: "started", arguments: {}, imported: true } },
		],
		[
			{ type: "tool.started", ...call, arguments: { cmd: "ls" } },
			{ event: "tool.call", payload: { ...shown, status: "started", arguments: { cmd: "ls" } } },
		],
	],
	"tool.completed": [
		[
			{ type: "tool.completed", ...call, result: "a", imported: true },
			{ event: "tool.call", payload: { ...shown, status: "completed", result: "a", imported: true } },
		],
		[
			{ type: "tool.completed", ...call, result: "a\nb" },
			{ event: "tool.call", payload: { ...shown, status: "completed", result: "a\nb" } },
		],
	],
	"tool.failed": [
		[
			{ type: "tool.failed", ...call, error: "denied", imported: true },
			{ event: "tool.call", payload: { ...shown, status: "failed", error: "denied", imported: true } },
		],
		[
			{ type: "tool.failed", ...call, error: "denied" },
			{ event: "tool.call", payload: { ...shown, status: "failed", error: "denied" } },
		],
	],
	"prompt.requested": [
		[
			{ type: "prompt.requested", prompt: question },
			{ event: "prompt.request", payload: shownQuestion },
		],
		[
			{ type: "prompt.requested", prompt: { ...question, taskId: "task_1" } },
			{
				event: "prompt.request",
				payload: { ...shownQuestion, context: { ...shownQuestion.context, task_id: "task_1" } },
			},
		],
		[
			{ type: "prompt.requested", prompt: { ...question, callId: "call_1" } },
			{
				event: "prompt.request",
				payload: { ...shownQuestion, context: { call_id: "call_1", ...shownQuestion.context } },
			},
		],
		[
			{ type: "prompt.requested", prompt: approval },
			{ event: "prompt.request", payload: shownApproval },
		],
	],
	"prompt.answered": [
		[
			{ type: "prompt.answered", token: "prompt_1", value: ["a"], cancelled: false, by: "operator" },
			{
				event: "prompt.response",
				payload: { token: "prompt_1", value: ["a"], cancelled: false, by: "operator" },
			},
		],
	],
	"prompt.voted": [
		[
			{ type: "prompt.voted", token: "prompt_1", by: "discord:1:2", byName: "Abe", approvals: 1, needed: 2 },
			{
				event: "prompt.vote",
				payload: { token: "prompt_1", by: "discord:1:2", by_name: "Abe", approvals: 1, needed: 2 },
			},
		],
	],
	"prompt.closed": [
		[
			{ type: "prompt.closed", token: "prompt_1", reason: "expired" },
			{ event: "prompt.closed", payload: { token: "prompt_1", reason: "expired" } },
		],
		[
			{ type: "prompt.closed", token: "prompt_1", reason: "cancelled", by: "operator" },
			{ event: "prompt.closed", payload: { token: "prompt_1", reason: "cancelled", by: "operator" } },
		],
	],
	"prompt.reminded": [
		[
			{ type: "prompt.reminded", token: "prompt_1", runId: "run_1", label: "Allow it?", expiresAt: 0 },
			{
				event: "prompt.reminder",
				payload: {
					token: "prompt_1",
					label: "Allow it?",
					run_id: "run_1",
					expires_at: "1970-01-01T00:00:00.000Z",
				},
			},
		],
		[
			{
				...{ type: "prompt.reminded", token: "prompt_1", runId: "run_1", label: "Allow it?", expiresAt: 0 },
				notify: { people: ["discord:1:42"], by: ["direct", "mention"], escalated: true },
			},
			{
				event: "prompt.reminder",
				payload: {
					token: "prompt_1",
					label: "Allow it?",
					run_id: "run_1",
					expires_at: "1970-01-01T00:00:00.000Z",
					notify: { people: ["discord:1:42"], by: ["direct", "mention"], escalated: true },
				},
			},
		],
	],
	"file.created": [
		[
			{ type: "file.created", file, runId: "run_1", callId: "call_1" },
			{ event: "file.created", payload: { ...shownFile, run_id: "run_1", call_id: "call_1" } },
		],
		[
			{ type: "file.created", file, runId: "run_1", callId: "call_1", imported: true },
			{
				event: "file.created",
				payload: { ...shownFile, run_id: "run_1", call_id: "call_1", imported: true },
			},
		],
	],
	"todo.updated": [
		[
			{
				type: "todo.updated",
				runId: "run_1",
				callId: "call_1",
				steps: [
					{ title: "look", state: "completed" },
					{ title: "change", state: "in_progress" },
					{ title: "test", state: "pending" },
				],
			},
			{
				event: "todo.updated",
				payload: {
					run_id: "run_1",
					call_id: "call_1",
					current_step: 1,
					total_steps: 3,
					current_step_label: "change",
					percentage: 33,
					plan: [
						{ title: "look", status: "completed" },
						{ title: "change", status: "in_progress" },
						{ title: "test", status: "pending" },
					],
				},
			},
		],
	],
	"skill.started": [
		[
			{ type: "skill.started", ...ofSkill, kind: "multi-step", vars: { arguments: "staging" } },
			{
				event: "skill.started",
				payload: { ...shownSkill, type: "multi-step", vars: { arguments: "staging" } },
			},
		],
	],
	"skill.step.started": [
		[
			{ type: "skill.step.started", ...ofSkill, ...ofStep },
			{ event: "skill.step.started", payload: { ...shownSkill, ...shownStep } },
		],
	],
	"skill.step.completed": [
		[
			{
				type: "skill.step.completed",
				...ofSkill,
				...ofStep,
				output: "v1",
				error: "criteria not met: no tests",
				reason: "no tests",
				willRetry: true,
				durationMs: 1.5,
			},
			{
				event: "skill.step.completed",
				payload: {
					...shownSkill,
					...shownStep,
					output: "v1",
					error: "criteria not met: no tests",
					reason: "no tests",
					will_retry: true,
					duration: 1_500_000,
				},
			},
		],
	],
	"skill.completed": [
		[
			{ type: "skill.completed", ...ofSkill, output: "done", error: "", durationMs: 12_000 },
			{
				event: "skill.completed",
				payload: { ...shownSkill, output: "done", error: "", duration: 12_000_000_000 },
			},
		],
	],
	"session.renamed": [
		[
			{ type: "session.renamed", title: "Ships", by: "model" },
			{ event: "session.renamed", payload: { title: "Ships", by: "model" } },
		],
	],
};

const written = { runId: "run_1", index: 0, callId: "call_1", name: "write_file" };
const shownWritten = { run_id: "run_1", index: 0, call_id: "call_1", name: "write_file" };

const passing: Pairs<OtherEvent<WirePassing["event"]>> = {
	"tool.progress": [
		[
			{ type: "tool.progress", runId: "run_1", callId: "call_1", text: "a\n" },
			{ event: "tool.output", payload: { run_id: "run_1", call_id: "call_1", content: "a\n" } },
		],
	],
	"todo.shown": [
		[
			{
				type: "todo.shown",
				runId: "run_1",
				callId: "call_1",
				steps: [{ title: "look", state: "completed" }],
			},
			{
				event: "todo.updated",
				payload: {
					run_id: "run_1",
					call_id: "call_1",
					current_step: 1,
					total_steps: 1,
					current_step_label: "look",
					percentage: 100,
					plan: [{ title: "look", status: "completed" }],
				},
			},
		],
	],
	"text.started": [
		[
			{ type: "text.started", runId: "run_1" },
			{ event: "assistant.stream", payload: { phase: "start", content: "", index: 0 } },
		],
	],
	"text.delta": [
		[
			{ type: "text.delta", runId: "run_1", text: "he" },
			{ event: "assistant.stream", payload: { phase: "delta", content: "he", index: 0 } },
		],
	],
	"text.ended": [
		[
			{ type: "text.ended", runId: "run_1" },
			{ event: "assistant.stream", payload: { phase: "end", content: "", index: 0 } },
		],
	],
	"response.started": [
		[
			{ type: "response.started", runId: "run_1" },
			{ event: "assistant.started", payload: { run_id: "run_1" } },
		],
	],
	"thinking.delta": [
		[
			{ type: "thinking.delta", runId: "run_1", text: "hm" },
			{ event: "assistant.thinking", payload: { run_id: "run_1", content: "hm" } },
		],
	],
	"arguments.started": [
		[
			{ type: "arguments.started", ...written },
			{ event: "tool.arguments", payload: { phase: "start", ...shownWritten, content: "", offset: 0 } },
		],
	],
	"arguments.delta": [
		[
			{ type: "arguments.delta", ...written, json: '"a.md"', offset: 9 },
			{ event: "tool.arguments", payload: { phase: "delta", ...shownWritten, content: '"a.md"', offset: 9 } },
		],
		[
			{ type: "arguments.delta", ...written, json: "abcd", offset: 32_766 },
			{
				event: "tool.arguments",
				payload: { phase: "delta", ...shownWritten, content: "ab", offset: 32_766 },
			},
		],
		[
			{ type: "arguments.delta", ...written, json: "abcd", offset: 49_150 },
			{ event: "tool.arguments", payload: { phase: "delta", ...shownWritten, content: "", offset: 49_150 } },
		],
	],
	"arguments.ended": [
		[
			{ type: "arguments.ended", ...written, length: 16 },
			{ event: "tool.arguments", payload: { phase: "end", ...shownWritten, content: "", offset: 16 } },
		],
	],
	"prompt.shown": [
		[
			{ type: "prompt.shown", prompt: question },
			{ event: "prompt.request", payload: shownQuestion },
		],
	],
	"session.deleted": [[{ type: "session.deleted" }, { event: "session.deleted", payload: {} }]],
};

const place = { sessionId: "sess_1", seq: 7 };
const recordedEvent = (event: RecordedEvent): Recorded => ({
	transient: false,
	id: "evt_1",
	at: 0,
	...place,
	event,
});

describe("each event is one frame", () => {
	test.each(Object.values(recorded).flat())("recorded: $type", (event, encoded) => {
		const frame = encodeEvent(recordedEvent(event));
		expect(frame).toEqual({ type: "event", session_id: "sess_1", seq: 7, ...encoded });
		expect(isOzzieEvent(frame)).toBe(true);
	});

	test.each(Object.values(passing).flat())("transient: $type", (event, encoded) => {
		const happened: WireEvent = { transient: true, ...place, event };
		const frame = encodeEvent(happened);
		expect(frame).toEqual({ type: "event", session_id: "sess_1", seq: 7, transient: true, ...encoded });
		expect(isOzzieEvent(frame)).toBe(true);
	});
});

test("a name of this wire selects all events with that name", () => {
	for (const [type, pairs] of Object.entries(recorded)) {
		for (const [, { event }] of pairs) expect(decodeEventName(event)).toContain(type);
	}
	expect(decodeEventName("tool.call")).toEqual(["tool.started", "tool.completed", "tool.failed"]);
	for (const name of ["assistant.stream", "tool.started", "constructor", ""]) {
		expect(() => decodeEventName(name)).toThrow(
			`type: "${name}" is not the type of a recorded event; allowed: session.created, session.closed, user.message, assistant.message, ` +
				"internal.llm.call, run.retrying, usage.updated, budget.reached, context.compacted, compaction.ended, tool.call, prompt.request, prompt.response, prompt.vote, prompt.closed",
		);
	}
});

const transient = (event: TransientEvent) =>
	({ transient: true, sessionId: "sess_1", seq: 7, event }) as const;

test("internal events of replies and calls are not shown on this wire", () => {
	const replied = { type: "model.replied", runId: "run_1", content: [], stop: "end_turn" } as const;
	const running = { type: "tool.running", runId: "run_1", callId: "call_1" } as const;
	expect([replied, running].map((event) => isWireEvent(transient(event)))).toEqual([false, false]);
	expect(isWireEvent(transient({ type: "text.delta", runId: "run_1", text: "a" }))).toBe(true);
	const event = { type: "session.created" } as const;
	const recordedEvent = { transient: false, id: "evt_1", sessionId: "sess_1", seq: 1, at: 0, event } as const;
	expect(isWireEvent(recordedEvent)).toBe(true);
});

test("long arguments are shown from the start, then one event follows for each 16,384 characters", () => {
	const delta = (offset: number, length: number) => {
		const call = { runId: "run_1", index: 0, callId: "call_1", name: "write_file" };
		return isWireEvent(transient({ type: "arguments.delta", ...call, json: "x".repeat(length), offset }));
	};
	expect([delta(0, 5), delta(32_767, 5), delta(32_768, 5)]).toEqual([true, true, false]);
	expect([delta(49_150, 1), delta(49_150, 2), delta(49_152, 16_383)]).toEqual([false, true, false]);
	const size = 2 * 1024 * 1024;
	const shown = Array.from({ length: size / 64 }, (_, at) => delta(at * 64, 64)).filter(Boolean);
	expect(shown).toHaveLength(32_768 / 64 + (size - 32_768) / 16_384);
});

test("slow readers first lose events that only show progress", () => {
	const call = { runId: "run_1", index: 0, callId: "call_1", name: "write_file" };
	const weights = [
		transient({ type: "thinking.delta", runId: "run_1", text: "a" }),
		transient({ type: "arguments.delta", ...call, json: "a", offset: 0 }),
		transient({ type: "text.delta", runId: "run_1", text: "a" }),
		transient({ type: "arguments.started", ...call }),
		transient({ type: "text.ended", runId: "run_1" }),
	].map((event) => isWireEvent(event) && weightOf(event));
	expect(weights).toEqual(["minor", "minor", "droppable", "required", "required"]);
});

import { defined, ParleyError } from "@parley/base";
import {
	type BudgetReached,
	type CommandEvent,
	dollars,
	formatDollars,
	type Recorded,
	type RecordedEvent,
	type SkillEvent,
	type TransientEvent,
} from "@parley/core";
import type { EventFrame, EventName, EventPayloads } from "@parley/protocol";
import { budgetTexts, sharedErrorTexts } from "../../texts/wires/shared.ts";
import { beginning } from "./beginning.ts";
import { commandEventNames, encodeCommandEvent, isCommandEvent } from "./command-json.ts";
import { encodeFile } from "./file-json.ts";
import { encodeBadge, encodeGrant } from "./grant-json.ts";
import { encodePrompt } from "./prompt-json.ts";
import {
	type AnyScheduleEvent,
	encodeOrigin,
	encodeScheduleEvent,
	isScheduleEvent,
	scheduleEventNames,
} from "./schedule-json.ts";
import { encodeSkillEvent, isSkillEvent, skillEventNames } from "./skill-json.ts";
import { type AnyTaskEvent, encodeTaskEvent, encodeTodo, taskEventNames } from "./task-json.ts";
import { toTime } from "./time.ts";
import { encodeTokens, encodeUsage } from "./usage-json.ts";
import { type EncodedEvent, maxArguments, type WireEvent, type WirePassing } from "./wire-event.ts";

/** Names in the Ozzie protocol, by the type in the journal. */
const eventNames = {
	"session.created": "session.created",
	"session.closed": "session.closed",
	"user.message": "user.message",
	"assistant.message": "assistant.message",
	"model.called": "internal.llm.call",
	"run.retrying": "run.retrying",
	"usage.updated": "usage.updated",
	"budget.reached": "budget.reached",
	"context.compacted": "context.compacted",
	"compaction.ended": "compaction.ended",
	"tool.started": "tool.call",
	"tool.completed": "tool.call",
	"tool.failed": "tool.call",
	"prompt.requested": "prompt.request",
	"prompt.answered": "prompt.response",
	"prompt.voted": "prompt.vote",
	"prompt.closed": "prompt.closed",
	"prompt.reminded": "prompt.reminder",
	"file.created": "file.created",
	"todo.updated": "todo.updated",
	"session.renamed": "session.renamed",
	"grant.created": "grant.created",
	"grant.ended": "grant.ended",
	...commandEventNames,
	...skillEventNames,
	...scheduleEventNames,
	...taskEventNames,
} as const satisfies Record<RecordedEvent["type"], EventName>;

/**
 * Returns the journal types of the recorded events with the Ozzie name `name`. Throws `invalid_argument` for an
 * unknown name.
 */
export function decodeEventName(name: string): string[] {
	const types = Object.entries(eventNames).flatMap(([type, eventName]) => (eventName === name ? [type] : []));
	if (types.length > 0) return types;
	const allowed = [...new Set(Object.values(eventNames))].join(", ");
	throw new ParleyError(sharedErrorTexts.notRecorded({ type: JSON.stringify(name.slice(0, 100)), allowed }), {
		code: "invalid_argument",
	});
}

/** Encodes an event as one frame of the Ozzie document. */
export function encodeEvent(happened: WireEvent): EventFrame {
	const { event: own } = happened;
	const { event, payload } = isReplyEvent(own) ? encodeReplyEvent(own) : encodeOther(own);
	const frame = { type: "event", event, session_id: happened.sessionId, payload, seq: happened.seq } as const;
	return happened.transient ? { ...frame, transient: true } : frame;
}

function encodeOther(event: Exclude<(Recorded | WirePassing)["event"], ReplyEvent>): EncodedEvent {
	switch (event.type) {
		case "session.created":
			return { event: event.type, payload: encodeCreated(event) };
		case "session.closed":
		case "session.deleted":
			return { event: event.type, payload: {} };
		case "user.message":
			return { event: event.type, payload: encodeUserMessage(event) };
		case "assistant.message":
			return { event: event.type, payload: encodeAnswer(event) };
		case "tool.started":
			return encodeToolCall({
				status: "started",
				name: event.name,
				arguments: event.arguments,
				call_id: event.callId,
				...defined({ trusted: event.trusted && encodeBadge(event.trusted), imported: event.imported }),
			});
		case "tool.completed":
			return encodeToolCall({
				status: "completed",
				name: event.name,
				result: event.result,
				call_id: event.callId,
				...defined({ imported: event.imported }),
			});
		case "tool.failed":
			return encodeToolCall({
				status: "failed",
				name: event.name,
				error: event.error,
				call_id: event.callId,
				...defined({ imported: event.imported }),
			});
		case "prompt.requested":
		case "prompt.shown":
		case "prompt.answered":
		case "prompt.voted":
		case "prompt.closed":
		case "prompt.reminded":
			return encodePromptEvent(event);
		case "file.created":
			return {
				event: event.type,
				payload: {
					...encodeFile(event.file),
					run_id: event.runId,
					call_id: event.callId,
					...defined({ imported: event.imported }),
				},
			};
		case "todo.updated":
		case "todo.shown":
			return { event: "todo.updated", payload: encodeTodo(event) };
		case "session.renamed":
			return { event: event.type, payload: { title: event.title, by: event.by } };
		case "grant.created":
			return { event: event.type, payload: encodeGrant(event.grant) };
		case "grant.ended":
			return { event: event.type, payload: { grant_id: event.grantId, reason: event.reason } };
		default:
			return encodeModelEvent(event);
	}
}

type PromptEvent = Extract<(Recorded | WirePassing)["event"], { readonly type: `prompt.${string}` }>;

function encodePromptEvent(event: PromptEvent): EncodedEvent {
	switch (event.type) {
		case "prompt.requested":
		case "prompt.shown":
			return { event: "prompt.request", payload: encodePrompt(event.prompt) };
		case "prompt.answered": {
			const { type: _, byName, ...payload } = event;
			return { event: "prompt.response", payload: { ...payload, ...defined({ by_name: byName }) } };
		}
		case "prompt.voted": {
			const { type: _, byName, changed, ...payload } = event;
			const prompt = changed && encodePrompt(changed);
			return {
				event: "prompt.vote",
				payload: { ...payload, ...defined({ by_name: byName, changed: prompt }) },
			};
		}
		case "prompt.closed":
			return {
				event: event.type,
				payload: defined({ token: event.token, reason: event.reason, by: event.by }),
			};
		case "prompt.reminded": {
			const { token, label, runId, expiresAt, notify } = event;
			const times = { expires_at: toTime(expiresAt), run_id: runId };
			const payload = { token, label, ...times, ...defined({ notify }) };
			return { event: "prompt.reminder", payload };
		}
	}
}

function encodeCreated({
	forkedFrom,
}: Extract<RecordedEvent, { type: "session.created" }>): EventPayloads["session.created"] {
	if (!forkedFrom) return {};
	return { forked_from: { session_id: forkedFrom.sessionId, at: forkedFrom.turns } };
}

function encodeUserMessage(
	event: Extract<RecordedEvent, { type: "user.message" }>,
): EventPayloads["user.message"] {
	const { content, runId, correlation, author, steered, retryOf, attachments, origin, imported } = event;
	return defined({
		content,
		run_id: runId,
		correlation_id: correlation,
		author,
		steered,
		retry_of: retryOf,
		attachments: attachments?.map(encodeFile),
		origin: origin && encodeOrigin(origin),
		imported,
	});
}

function encodeAnswer(
	event: Extract<RecordedEvent, { type: "assistant.message" }>,
): EventPayloads["assistant.message"] {
	const { content, error, model, usage, runId, joined, stoppedBy, origin, imported } = event;
	const isOwn = model !== "" && !imported;
	const context = defined({
		model: isOwn ? model : undefined,
		usage: isOwn ? encodeTokens(usage) : undefined,
		trusted: event.trusted && encodeBadge(event.trusted),
	});
	return defined({
		content,
		error,
		context,
		run_id: runId,
		joined,
		stopped_by: stoppedBy,
		origin: origin && encodeOrigin(origin),
		imported,
	});
}

function encodeToolCall(payload: EventPayloads["tool.call"]): EncodedEvent {
	return { event: "tool.call", payload };
}

export type ModelEvent = Extract<
	RecordedEvent | TransientEvent,
	{
		readonly type:
			| "model.calling"
			| "model.called"
			| "run.retrying"
			| "usage.updated"
			| "budget.reached"
			| "context.compacted"
			| "compaction.ended";
	}
>;

const nanosecondsPerMs = 1_000_000;

const nothingYet = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 };

export function encodeModelEvent(event: ModelEvent | FeatureEvent): EncodedEvent {
	switch (event.type) {
		case "model.calling":
			return encodeModelCall("start", { ...event, usage: nothingYet, cost: 0, durationMs: 0, error: "" });
		case "model.called":
			return encodeModelCall("end", event);
		case "run.retrying": {
			const { runId, reason, inMs, attempt, model } = event;
			return { event: event.type, payload: { run_id: runId, reason, in_ms: inMs, attempt, model } };
		}
		case "usage.updated": {
			const { runId, run, session } = event;
			return {
				event: event.type,
				payload: { run_id: runId, run: encodeUsage(run), session: encodeUsage(session) },
			};
		}
		case "budget.reached":
			return { event: event.type, payload: encodeBudget(event) };
		case "context.compacted": {
			const { runId, level, tokensBefore, tokensAfter, error = "" } = event;
			const tokens = { tokens_before: tokensBefore, tokens_after: tokensAfter };
			return { event: event.type, payload: { run_id: runId, level, ...tokens, error } };
		}
		case "compaction.ended": {
			const { status, tokensBefore, tokensAfter, error } = event;
			const tokens = { tokens_before: tokensBefore, tokens_after: tokensAfter };
			return { event: event.type, payload: { status, ...tokens, error } };
		}
		default:
			return encodeFeatureEvent(event);
	}
}

type FeatureEvent = AnyScheduleEvent | AnyTaskEvent | CommandEvent | SkillEvent;

function encodeFeatureEvent(event: FeatureEvent): EncodedEvent {
	if (isSkillEvent(event)) return encodeSkillEvent(event);
	if (isCommandEvent(event)) return encodeCommandEvent(event);
	return isScheduleEvent(event) ? encodeScheduleEvent(event) : encodeTaskEvent(event);
}

function encodeModelCall(
	phase: "start" | "end",
	call: Omit<Extract<RecordedEvent, { type: "model.called" }>, "type">,
): EncodedEvent {
	const { runId, model, provider, messages, usage, cost, durationMs, error, text } = call;
	return {
		event: "internal.llm.call",
		payload: {
			phase,
			model,
			provider,
			message_count: messages,
			...encodeUsage({ ...usage, cost }),
			duration: Math.round(durationMs * nanosecondsPerMs),
			error,
			run_id: runId,
			...defined({ text }),
		},
	};
}

function encodeBudget(reached: BudgetReached): EventPayloads["budget.reached"] {
	const { scope, period, percent, spent, limit } = reached;
	return {
		scope,
		period,
		percent,
		spent_usd: dollars(spent),
		limit_usd: dollars(limit),
		message: inWords(reached),
	};
}

function inWords({ scope, period, percent, spent, limit }: BudgetReached): string {
	const scopeName = scope === "gateway" ? budgetTexts.ofGateway : budgetTexts.ofSession;
	const figures = `${formatDollars(spent)} of ${formatDollars(limit)}`;
	if (percent < 100) return budgetTexts.partlySpent({ percent, scope: scopeName, period, amounts: figures });
	return budgetTexts.spent({ scope: scopeName, period, amounts: figures });
}

export type ReplyEvent = Extract<
	TransientEvent,
	{ readonly type: `${"response" | "thinking" | "arguments" | "text"}.${string}` | "tool.progress" }
>;

type ArgumentsEvent = Extract<ReplyEvent, { readonly type: `arguments.${string}` }>;

function isReplyEvent(event: { readonly type: string }): event is ReplyEvent {
	return event.type === "tool.progress" || /^(?:response|thinking|arguments|text)\./.test(event.type);
}

function encodeReplyEvent(event: ReplyEvent): EncodedEvent {
	switch (event.type) {
		case "response.started":
			return { event: "assistant.started", payload: { run_id: event.runId } };
		case "text.started":
			return encodeText("start", "");
		case "text.delta":
			return encodeText("delta", event.text);
		case "text.ended":
			return encodeText("end", "");
		case "thinking.delta":
			return { event: "assistant.thinking", payload: { run_id: event.runId, content: event.text } };
		case "tool.progress": {
			const { runId, callId, text } = event;
			return { event: "tool.output", payload: { run_id: runId, call_id: callId, content: text } };
		}
		case "arguments.started":
			return encodeArguments("start", event, { content: "", offset: 0 });
		case "arguments.delta": {
			const content = beginning(event.json, Math.max(0, maxArguments - event.offset));
			return encodeArguments("delta", event, { content, offset: event.offset });
		}
		case "arguments.ended":
			return encodeArguments("end", event, { content: "", offset: event.length });
	}
}

function encodeText(phase: EventPayloads["assistant.stream"]["phase"], content: string): EncodedEvent {
	return { event: "assistant.stream", payload: { phase, content, index: 0 } };
}

function encodeArguments(
	phase: EventPayloads["tool.arguments"]["phase"],
	{ runId, callId, name, index }: ArgumentsEvent,
	part: { readonly content: string; readonly offset: number },
): EncodedEvent {
	return {
		event: "tool.arguments",
		payload: { run_id: runId, phase, call_id: callId, name, index, ...part },
	};
}

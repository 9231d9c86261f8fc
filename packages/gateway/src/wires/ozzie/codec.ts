import { ParleyError } from "@parley/base";
import type { Recorded, RecordedEvent, SessionSummary } from "@parley/core";
import type { EventFrame, EventName, EventPayloads, MethodResult, ResponseFrame } from "@parley/protocol";
import { errorPhrases } from "./error-code.ts";
import { encodeFile } from "./file-codec.ts";
import { encodeBadge, encodeGrant } from "./grant-codec.ts";
import { encodePrompt } from "./prompt-codec.ts";
import { tellModelEvent } from "./tell-model-event.ts";
import { isReplyEvent, type ReplyEvent, tellReplyEvent } from "./tell-reply-event.ts";
import { type AnyTaskEvent, isTaskEvent, taskEventNames, tellTaskEvent } from "./tell-task-event.ts";
import { toTime } from "./time.ts";
import { encodeTokens } from "./usage-codec.ts";
import type { WireEvent, WirePassing } from "./wire-event.ts";

/** Any of our events, before it gets its place in the frame. */
export type Told = {
	[Name in EventName]: { readonly event: Name; readonly payload: EventPayloads[Name] };
}[EventName];

/** What each recorded event is called on this wire. */
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
	"tool.started": "tool.call",
	"tool.completed": "tool.call",
	"tool.failed": "tool.call",
	"prompt.requested": "prompt.request",
	"prompt.answered": "prompt.response",
	"prompt.closed": "prompt.closed",
	"prompt.reminded": "prompt.reminder",
	"file.created": "file.created",
	"session.renamed": "session.renamed",
	"grant.created": "grant.created",
	"grant.ended": "grant.ended",
	...taskEventNames,
} as const satisfies Record<RecordedEvent["type"], EventName>;

/** The recorded events that a name of this wire stands for; throws `invalid_argument` for any other name. */
export function decodeEventName(name: string): string[] {
	const types = Object.entries(eventNames).flatMap(([type, told]) => (told === name ? [type] : []));
	if (types.length > 0) return types;
	const allowed = [...new Set(Object.values(eventNames))].join(", ");
	throw new ParleyError(`type: ${JSON.stringify(name.slice(0, 100))} is not recorded; allowed: ${allowed}`, {
		code: "invalid_argument",
	});
}

/** One event as one frame: the numbers on this wire are those of the journal. */
export function encodeEvent(happened: WireEvent): EventFrame {
	const { event, payload } = tell(happened);
	const frame = { type: "event", event, session_id: happened.sessionId, payload, seq: happened.seq } as const;
	return happened.transient ? { ...frame, transient: true } : frame;
}

export function encodeSuccess(id: string, payload: unknown): ResponseFrame {
	return { type: "res", id, ok: true, payload };
}

/** An error for the client that asked. `id` is absent where none could be read. */
export function encodeFailure(id: string | undefined, reason: unknown): ResponseFrame {
	const error = ParleyError.from(reason);
	const text = errorPhrases[error.code](error.message);
	return { type: "res", ...(id !== undefined && { id }), ok: false, error: text };
}

/** A session for `list_sessions`. */
export function encodeSession(session: SessionSummary): MethodResult<"list_sessions">["sessions"][number] {
	return {
		session_id: session.id,
		title: session.title,
		status: session.status,
		root_dir: session.rootDir,
		created_at: toTime(session.createdAt),
		updated_at: toTime(session.updatedAt),
		message_count: session.messageCount,
		...(session.externalKey !== undefined && { external_key: session.externalKey }),
		...(session.model !== undefined && { model: session.model }),
		...{ profile: session.profile, last_seq: session.lastSeq, state: session.state },
	};
}

/** A message for `load_messages`; nothing for an event that is none. */
export function encodeMessage({ event, at, seq }: Recorded): MethodResult<"load_messages"> {
	if (event.type === "user.message") {
		// Nothing was said: the message whose reply is made again stands before it already.
		if (event.retryOf !== undefined) return [];
		return [{ role: "user", content: event.content, ts: toTime(at), seq }];
	}
	if (event.type !== "assistant.message") return [];
	const content = event.content === "" && event.error !== "" ? `[${event.error}]` : event.content;
	return [{ role: "assistant", content, ts: toTime(at), seq }];
}

function tell({ event }: WireEvent): Told {
	if (event.type === "message.refused") {
		const payload = { content: "", error: event.error, context: {}, run_id: "" };
		return { event: "assistant.message", payload };
	}
	if (isReplyEvent(event)) return tellReplyEvent(event);
	return isTaskEvent(event) ? tellTaskEvent(event) : tellOther(event);
}

function tellOther(event: Exclude<(Recorded | WirePassing)["event"], AnyTaskEvent | ReplyEvent>): Told {
	switch (event.type) {
		case "session.created":
		case "session.closed":
		case "session.deleted":
			return { event: event.type, payload: {} };
		case "user.message":
			return { event: event.type, payload: encodeUserMessage(event) };
		case "assistant.message": {
			const { content, error, model, usage, runId } = event;
			const context = {
				...(model !== "" && { model, usage: encodeTokens(usage) }),
				...(event.trusted && { trusted: encodeBadge(event.trusted) }),
			};
			return { event: event.type, payload: { content, error, context, run_id: runId } };
		}
		case "model.calling":
		case "model.called":
		case "run.retrying":
		case "usage.updated":
		case "budget.reached":
		case "context.compacted":
			return tellModelEvent(event);
		case "tool.started":
			return tellCall({
				status: "started",
				name: event.name,
				arguments: event.arguments,
				call_id: event.callId,
				...(event.trusted && { trusted: encodeBadge(event.trusted) }),
			});
		case "tool.completed":
			return tellCall({ status: "completed", name: event.name, result: event.result, call_id: event.callId });
		case "tool.failed":
			return tellCall({ status: "failed", name: event.name, error: event.error, call_id: event.callId });
		case "prompt.requested":
		case "prompt.shown":
			return { event: "prompt.request", payload: encodePrompt(event.prompt) };
		case "prompt.answered": {
			const { type: _, byName, ...payload } = event;
			const named = byName === undefined ? {} : { by_name: byName };
			return { event: "prompt.response", payload: { ...payload, ...named } };
		}
		case "prompt.closed":
			return { event: event.type, payload: { token: event.token, reason: event.reason } };
		case "prompt.reminded": {
			const { token, label, runId, expiresAt } = event;
			const payload = { token, label, expires_at: toTime(expiresAt), run_id: runId };
			return { event: "prompt.reminder", payload };
		}
		case "file.created":
			return {
				event: event.type,
				payload: { ...encodeFile(event.file), run_id: event.runId, call_id: event.callId },
			};
		case "session.renamed":
			return { event: event.type, payload: { title: event.title, by: event.by } };
		case "grant.created":
			return { event: event.type, payload: encodeGrant(event.grant) };
		case "grant.ended":
			return { event: event.type, payload: { grant_id: event.grantId, reason: event.reason } };
	}
}

function encodeUserMessage(
	event: Extract<RecordedEvent, { type: "user.message" }>,
): EventPayloads["user.message"] {
	const { content, runId, correlation, author, steered, retryOf, attachments } = event;
	return {
		content,
		run_id: runId,
		...(correlation !== undefined && { correlation_id: correlation }),
		...(author && { author }),
		...(steered && { steered }),
		...(retryOf !== undefined && { retry_of: retryOf }),
		...(attachments && { attachments: attachments.map(encodeFile) }),
	};
}

function tellCall(payload: EventPayloads["tool.call"]): Told {
	return { event: "tool.call", payload };
}

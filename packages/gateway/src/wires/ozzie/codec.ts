import { ParleyError } from "@parley/base";
import type { Passing, Recorded, SessionSummary } from "@parley/core";
import type { EventFrame, MethodResult, ResponseFrame } from "@parley/protocol";
import { encodeEvent, type WireEvent } from "../shared/event-json.ts";
import { pageBytes } from "../shared/paging.ts";
import { toTime } from "../shared/time.ts";
import type { Envelope } from "./envelope.ts";
import { errorPhrases } from "./error-code.ts";

/** A refused message, for clients that read no responses and wait for the reply. */
interface RefusedMessage extends Omit<Passing, "event"> {
	readonly event: { readonly type: "message.refused"; readonly error: string };
}

/** An event for clients of this wire. */
export type OzzieEvent = WireEvent | RefusedMessage;

export function encodeOzzieEvent(happened: OzzieEvent): EventFrame {
	if (!isRefusal(happened)) return encodeEvent(happened);
	const { sessionId, seq, event } = happened;
	const payload = { content: "", error: event.error, context: {}, run_id: "" };
	return { type: "event", event: "assistant.message", session_id: sessionId, payload, seq, transient: true };
}

function isRefusal(happened: OzzieEvent): happened is RefusedMessage {
	return happened.event.type === "message.refused";
}

/** Bytes of the items in one response: existing Go clients accept frames of 32 KiB. */
export function answerBudget(envelope: Envelope): number {
	return envelope === "both" ? smallPageBytes : pageBytes;
}

const smallPageBytes = 30_000;

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
	} else if (event.type !== "assistant.message") return [];
	const { content, imported } = event;
	// One side of a run in an imported history may have said nothing.
	if (imported && content === "") return [];
	const role = event.type === "user.message" ? "user" : "assistant";
	const error = event.type === "assistant.message" ? event.error : "";
	const text = content === "" && error !== "" ? `[${error}]` : content;
	return [{ role, content: text, ts: toTime(at), seq, ...(imported && { imported }) }];
}

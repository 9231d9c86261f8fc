import { defined } from "@parley/base";
import { dollars, type Recorded, type SessionSummary } from "@parley/core";
import { encodeEvent } from "../shared/event-json.ts";
import { toTime } from "../shared/time.ts";
import type { WirePassing } from "../shared/wire-event.ts";

/** An event of `/api/events`. A transient event has neither an id nor a time. */
export interface ShownEvent {
	readonly id?: string;
	readonly session_id: string | undefined;
	readonly type: string;
	/** Time of the event in RFC 3339. */
	readonly timestamp?: string;
	readonly source: "agent";
	readonly payload: unknown;
	readonly seq: number;
	readonly transient?: true;
}

/** Encodes a recorded event. Omits the `token` in the payload, because the client may not be allowed to answer. */
export function encodeRecorded(recorded: Recorded): ShownEvent {
	const { event, payload, session_id, seq } = encodeEvent(recorded);
	return {
		id: recorded.id,
		session_id,
		type: event,
		timestamp: toTime(recorded.at),
		source: "agent",
		payload: withoutToken(payload),
		seq,
	};
}

export function encodePassing(passing: WirePassing): ShownEvent {
	const { event, payload, session_id, seq } = encodeEvent(passing);
	return { session_id, type: event, source: "agent", payload: withoutToken(payload), seq, transient: true };
}

function withoutToken(payload: unknown): unknown {
	if (typeof payload !== "object" || payload === null) return payload;
	const shown = { ...payload, token: undefined };
	return "changed" in shown ? { ...shown, changed: { ...Object(shown.changed), token: undefined } } : shown;
}

export function encodeHttpSession(session: SessionSummary): object {
	return defined({
		id: session.id,
		title: session.title,
		status: session.status,
		created_at: toTime(session.createdAt),
		updated_at: toTime(session.updatedAt),
		message_count: session.messageCount,
		token_usage: { input: session.usage.inputTokens, output: session.usage.outputTokens },
		cost_usd: dollars(session.cost),
		state: session.state,
		profile: session.profile,
		root_dir: session.rootDir,
		external_key: session.externalKey,
	});
}

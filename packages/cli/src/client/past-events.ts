import { isOzzieEvent, type OzzieEvent } from "@parley/protocol";
import { getJson, type HttpAddress } from "./gateway-http.ts";

/** An event in the form of `/api/events`. A transient event has no id and no time. */
export interface ShownEvent {
	readonly id?: string;
	readonly session_id: string;
	readonly type: string;
	/** Time in RFC 3339 format. */
	readonly timestamp?: string;
	readonly payload: object;
	readonly seq: number;
}

/** Resolves with all stored events of a session, oldest first. */
export async function readAllEvents(address: HttpAddress, sessionId: string): Promise<ShownEvent[]> {
	const events: ShownEvent[] = [];
	for (;;) {
		const query = `session=${sessionId}&after=${events.at(-1)?.seq ?? 0}&limit=1000`;
		// The cast is safe because Parley's own gateway lists events in this form.
		const page = (await getJson(address, `/api/events?${query}`)) as ShownEvent[];
		if (page.length === 0) return events;
		events.push(...page);
	}
}

/** Returns the event as a frame of the Ozzie protocol, or undefined for an event of a later version. */
export function toOzzieEvent({ session_id, type, payload, seq }: ShownEvent): OzzieEvent | undefined {
	// The history contains no tokens of questions, so the frame has an empty token.
	const completePayload = type.startsWith("prompt.") ? { ...payload, token: "" } : payload;
	const frame = { type: "event", event: type, session_id, payload: completePayload, seq } as const;
	return isOzzieEvent(frame) ? frame : undefined;
}

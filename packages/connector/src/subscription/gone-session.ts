import type { EventFrame, OpenSession } from "@parley/protocol";

/** The end of a session, which is no recorded event, in a place of its own behind all those. */
export function deletionAt(session: string, seq: number): EventFrame {
	return { type: "event", event: "session.deleted", session_id: session, payload: {}, seq };
}

/** A session that was deleted while nobody read it, as who had read it up to `seq` would have heard of that. */
export function goneSession(id: string, seq: number): OpenSession {
	return {
		...{ id, status: "resumed", lastSeq: seq },
		async *events() {
			yield { ...deletionAt(id, seq), transient: true };
		},
		close() {},
	};
}

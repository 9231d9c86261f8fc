import { ParleyError } from "@parley/base";
import { type EventPayloads, isOzzieEvent, type OpenSession } from "@parley/protocol";
import { connect } from "../client/connect.ts";
import type { GatewayAddress } from "../client/gateway-address.ts";
import { sessionTexts } from "../texts/sessions.ts";
import { compactionListWords } from "../wordings/list-words.ts";

type CompactionEnd = EventPayloads["compaction.ended"];

/**
 * Compacts a session and returns the result. Rejects with `failed_precondition` if the compaction fails or is
 * cancelled. Rejects with `aborted` if the connection is lost, because a restart of the gateway ends the
 * compaction.
 */
export async function compactSession(address: GatewayAddress, sessionId: string): Promise<CompactionEnd> {
	const lost = Promise.withResolvers<never>();
	const client = connect(address, (state) => {
		if (state !== "lost") return;
		const message = sessionTexts.connectionLost;
		lost.reject(new ParleyError(message, { code: "aborted" }));
	});
	lost.promise.catch(() => undefined);
	try {
		const session = await client.open({ session_id: sessionId });
		await client.request("compact_session", { session_id: sessionId });
		const end = await Promise.race([endOf(session), lost.promise]);
		const { words, failed } = compactionListWords(end);
		if (failed) throw new ParleyError(words, { code: "failed_precondition" });
		return end;
	} finally {
		await client.close();
	}
}

async function endOf(session: OpenSession): Promise<CompactionEnd> {
	for await (const frame of session.events()) {
		const isNew = frame.seq === undefined || frame.seq > session.lastSeq;
		if (isNew && isOzzieEvent(frame) && frame.event === "compaction.ended") return frame.payload;
	}
	throw new ParleyError(sessionTexts.closed, { code: "aborted" });
}

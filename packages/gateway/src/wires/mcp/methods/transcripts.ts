import type { ListResourcesResult, ReadResourceResult } from "@modelcontextprotocol/server";
import { defined, ParleyError } from "@parley/base";
import { mcpErrorTexts } from "../../../texts/wires/mcp.ts";
import { encodePage, encodeResource, shownInTranscript } from "../codec.ts";
import { decodeTranscriptUri } from "../schema.ts";
import type { McpContext } from "./context.ts";

const pageSessions = 100;
/** Maximum number of listed sessions. Clients can read older sessions only by their URI. */
const maxSessions = 1_000;
const pageEvents = 200;

/** Lists one page of the sessions that the client may read. The newest session is first. */
export async function listTranscripts(
	{ runtime, principal }: McpContext,
	cursor = "0",
): Promise<ListResourcesResult> {
	const from = /^\d{1,4}$/.test(cursor) ? Number(cursor) : Number.NaN;
	if (!(from < maxSessions)) {
		throw new ParleyError(mcpErrorTexts.cursor, { code: "invalid_argument" });
	}
	const sessions = await runtime.list(principal, { limit: from + pageSessions + 1 });
	const page = sessions.slice(from, from + pageSessions);
	const next = from + pageSessions;
	const more = sessions.length > next && next < maxSessions;
	return defined({ resources: page.map(encodeResource), nextCursor: more ? String(next) : undefined });
}

/**
 * Reads one page of a transcript. Rejects with `not_found` for a URI that names no transcript, and for a session that the
 * client may not read.
 */
export async function readTranscriptPage(
	{ runtime, principal }: McpContext,
	uri: string,
): Promise<ReadResourceResult> {
	const named = decodeTranscriptUri(uri);
	if (!named) {
		const message = mcpErrorTexts.uri;
		throw new ParleyError(message, { code: "not_found" });
	}
	const { sessionId, after } = named;
	const filter = { sessionId, afterSeq: after, types: shownInTranscript, limit: pageEvents };
	const events = await runtime.history.newest(principal, filter);
	const text = encodePage(sessionId, events, events.length === pageEvents);
	return { contents: [{ uri, mimeType: "application/json", text }] };
}

import { ParleyError } from "@parley/base";
import type { Principal, Recorded, Runtime, SessionSummary } from "@parley/core";
import { decodeEventName, encodeEvent, toTime } from "../ozzie/codec.ts";
import { newestWithin } from "../ozzie/newest-within.ts";

/** What a route answers: a status and a body that becomes JSON. */
export interface Answer {
	readonly status: number;
	readonly body: unknown;
}

/** What the routes need to know of the gateway. */
export interface ApiDeps {
	readonly runtime: Runtime;
	/** False while the gateway drains. */
	readonly healthy: () => boolean;
}

type Route = (deps: ApiDeps, principal: Principal, query: URLSearchParams) => Promise<unknown>;

/** The read-only endpoints of the Ozzie document. All but health need a principal. */
const routes: Readonly<Record<string, Route>> = {
	"/api/sessions": async ({ runtime }, principal, query) => {
		const sessions = await runtime.list(principal, { limit: readLimit(query, 1000) });
		return sessions.map(encodeListed);
	},
	"/api/events": async ({ runtime }, principal, query) => {
		const sessionId = query.get("session");
		const names = query.getAll("type").filter((name) => name !== "");
		const types = names.flatMap(decodeEventName);
		const events = await runtime.events(principal, {
			limit: readLimit(query, 50),
			...(sessionId && { sessionId }),
			...(types.length > 0 && { types }),
		});
		return newestWithin(events, ({ event }) => JSON.stringify(event).length).map(encodeHistory);
	},
	"/api/tasks": async () => [],
};

/** Whether the path needs no credentials. */
export function isPublic(path: string): boolean {
	return path === "/api/health";
}

/** Answers one GET; never rejects. */
export async function answerApi(deps: ApiDeps, principal: Principal | undefined, url: URL): Promise<Answer> {
	if (isPublic(url.pathname)) {
		return deps.healthy()
			? { status: 200, body: { status: "ok" } }
			: { status: 503, body: { status: "draining" } };
	}
	const route = routes[url.pathname];
	if (!route || !principal) return { status: 404, body: { error: `not found: ${url.pathname}` } };
	try {
		return { status: 200, body: await route(deps, principal, url.searchParams) };
	} catch (reason) {
		const error = ParleyError.from(reason);
		return { status: statuses[error.code] ?? 500, body: { error: error.message } };
	}
}

const statuses: Partial<Record<ParleyError["code"], number>> = {
	invalid_argument: 400,
	not_found: 404,
	permission_denied: 403,
	unavailable: 503,
};

function readLimit(query: URLSearchParams, fallback: number): number {
	const text = query.get("limit");
	if (text === null) return fallback;
	const limit = Number(text);
	if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= 1000) return limit;
	throw new ParleyError(`limit: "${text}" is not a whole number from 1 to 1000`, {
		code: "invalid_argument",
	});
}

function encodeListed(session: SessionSummary): object {
	return {
		id: session.id,
		title: session.title,
		status: session.status,
		created_at: toTime(session.createdAt),
		updated_at: toTime(session.updatedAt),
		message_count: session.messageCount,
		token_usage: { input: session.usage.inputTokens, output: session.usage.outputTokens },
		root_dir: session.rootDir,
		...(session.externalKey !== undefined && { external_key: session.externalKey }),
	};
}

/** An event of the history. Tokens that answer prompts stay out: who may read need not be who may approve. */
function encodeHistory(recorded: Recorded): object {
	const { event, payload, session_id, seq } = encodeEvent(recorded);
	const shown = typeof payload === "object" && payload !== null ? { ...payload, token: undefined } : payload;
	return {
		id: recorded.id,
		session_id,
		type: event,
		timestamp: toTime(recorded.at),
		source: "agent",
		payload: shown,
		seq,
	};
}

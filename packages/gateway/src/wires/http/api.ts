import { ParleyError, type Redactor } from "@parley/base";
import { dollars, type Principal, type Runtime, type SessionFilter, type SessionSummary } from "@parley/core";
import { firstWithin, jsonBytes, newestWithin } from "../shared/paging.ts";
import { encodeListedTask } from "../shared/task-json.ts";
import { toTime } from "../shared/time.ts";
import { encodeRecorded } from "./events-codec.ts";
import { decodeEventsQuery, readLimit, refused } from "./events-query.ts";
import type { Health } from "./health.ts";
import { decodeTasksQuery } from "./tasks-query.ts";

/** What a route answers: a status and a body that becomes JSON. */
export interface Answer {
	readonly status: number;
	readonly body: unknown;
}

/** What the routes need to know of the gateway. */
export interface ApiDeps {
	readonly runtime: Runtime;
	readonly health: Health;
	/** Takes secrets out of what clients are told of a failure; nobody does unless told. */
	readonly redactor?: Pick<Redactor, "redact">;
}

type Route = (deps: ApiDeps, principal: Principal, query: URLSearchParams) => Promise<unknown>;

const healthPath = "/api/health";

/** The read-only endpoints of the Ozzie document. All but health need a principal. */
const routes: Readonly<Record<string, Route>> = {
	"/api/sessions": async ({ runtime }, principal, query) => {
		const sessions = await runtime.list(principal, decodeSessionsQuery(query));
		return sessions.map(encodeListed);
	},
	"/api/events": async ({ runtime }, principal, query) => {
		const filter = { ...decodeEventsQuery(query), limit: readLimit(query, 50) };
		const events = await runtime.history.newest(principal, filter);
		const within = filter.afterSeq === undefined ? newestWithin : firstWithin;
		return within(events, ({ event }) => JSON.stringify(event).length).map(encodeRecorded);
	},
	"/api/tasks": async ({ runtime }, principal, query) => {
		const tasks = await runtime.tasks.list(principal, decodeTasksQuery(query));
		// Who may read need not be who may reply.
		const shown = tasks.map((task) => encodeListedTask(task, { token: () => undefined }));
		return firstWithin(shown, jsonBytes);
	},
};

const report: Route = ({ health }, principal) => health.report(principal);

/** Whether nobody needs credentials for it. */
export function isPublic({ pathname, searchParams }: URL): boolean {
	return pathname === healthPath && !searchParams.has("verbose");
}

/** Answers one GET; never rejects. */
export async function answerApi(deps: ApiDeps, principal: Principal | undefined, url: URL): Promise<Answer> {
	const health = deps.health.status();
	if (isPublic(url)) return { status: health === "ok" ? 200 : 503, body: { status: health } };
	const route = url.pathname === healthPath ? report : routes[url.pathname];
	if (!route || !principal) {
		return errorAnswer(new ParleyError(`not found: ${url.pathname}`, { code: "not_found" }), deps);
	}
	try {
		return { status: 200, body: await route(deps, principal, url.searchParams) };
	} catch (reason) {
		return errorAnswer(reason, deps);
	}
}

/** What is told of a request that failed. */
export function errorAnswer(reason: unknown, { redactor }: Pick<ApiDeps, "redactor"> = {}): Answer {
	const { code, message } = ParleyError.from(reason);
	return { status: statuses[code] ?? 500, body: { error: redactor?.redact(message) ?? message } };
}

const statuses: Partial<Record<ParleyError["code"], number>> = {
	invalid_argument: 400,
	not_found: 404,
	permission_denied: 403,
	unavailable: 503,
};

/** Characters of what somebody looks for. */
const mostSought = 200;

function decodeSessionsQuery(query: URLSearchParams): SessionFilter {
	const sought = query.get("query")?.trim() ?? "";
	const idPrefix = query.get("id") ?? "";
	if (sought.length > mostSought) {
		throw refused("query", sought, `has more than ${mostSought} characters`);
	}
	if (!/^[\w-]{0,128}$/.test(idPrefix)) throw refused("id", idPrefix, "is not the beginning of an id");
	return {
		limit: readLimit(query, 1000),
		...(sought !== "" && { query: sought }),
		...(idPrefix !== "" && { idPrefix }),
	};
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
		cost_usd: dollars(session.cost),
		state: session.state,
		profile: session.profile,
		root_dir: session.rootDir,
		...(session.externalKey !== undefined && { external_key: session.externalKey }),
	};
}

import { ParleyError } from "@parley/base";
import type { Principal, Runtime } from "@parley/core";
import { httpErrorTexts } from "../../../texts/wires/http.ts";
import type { ErrorRedactor } from "../../shared/error-text.ts";
import { firstWithin, jsonBytes, newestWithin } from "../../shared/paging.ts";
import { encodeListedTask } from "../../shared/task-json.ts";
import { encodeHttpSession, encodeRecorded } from "../codec.ts";
import { type Answer, errorAnswer } from "../error-code.ts";
import { decodeEventsQuery, decodeSessionsQuery, decodeTasksQuery, readLimit } from "../schema.ts";
import type { Health } from "./health.ts";

export interface ApiDeps {
	readonly runtime: Runtime;
	readonly health: Health;
	readonly redactor?: ErrorRedactor;
}

type Route = (deps: ApiDeps, principal: Principal, query: URLSearchParams) => Promise<unknown>;

const healthPath = "/api/health";

/** Read-only endpoints that the Ozzie document defines. All of them need a principal. */
const routes: Readonly<Record<string, Route>> = {
	"/api/sessions": async ({ runtime }, principal, query) => {
		const sessions = await runtime.list(principal, decodeSessionsQuery(query));
		return sessions.map(encodeHttpSession);
	},
	"/api/events": async ({ runtime }, principal, query) => {
		const filter = { ...decodeEventsQuery(query), limit: readLimit(query, 50) };
		const events = await runtime.history.newest(principal, filter);
		const within = filter.afterSeq === undefined ? newestWithin : firstWithin;
		return within(events, ({ event }) => JSON.stringify(event).length).map(encodeRecorded);
	},
	"/api/tasks": async ({ runtime }, principal, query) => {
		const tasks = await runtime.tasks.list(principal, decodeTasksQuery(query));
		// The client may not be allowed to answer the prompts of the tasks, so the tokens of the prompts are omitted.
		const shown = tasks.map((task) => encodeListedTask(task, { token: () => undefined }));
		return firstWithin(shown, jsonBytes);
	},
};

const report: Route = ({ health }, principal) => health.report(principal);

export function isPublic({ pathname, searchParams }: URL): boolean {
	return pathname === healthPath && !searchParams.has("verbose");
}

/** Returns the response to a GET request. Never rejects. */
export async function answerApi(deps: ApiDeps, principal: Principal | undefined, url: URL): Promise<Answer> {
	const health = deps.health.status();
	if (isPublic(url)) return { status: health === "ok" ? 200 : 503, body: { status: health } };
	const route = url.pathname === healthPath ? report : routes[url.pathname];
	if (!route || !principal) {
		const paths = [healthPath, ...Object.keys(routes)];
		const message = httpErrorTexts.notFound({ path: url.pathname, paths });
		return errorAnswer(new ParleyError(message, { code: "not_found" }), deps.redactor);
	}
	try {
		return { status: 200, body: await route(deps, principal, url.searchParams) };
	} catch (reason) {
		return errorAnswer(reason, deps.redactor);
	}
}

import { defined } from "@parley/base";
import type { NewTask, Principal, Submitted, TaskFilter } from "@parley/core";
import type { MethodParams, MethodResult, TaskPayload } from "@parley/protocol";
import { firstWithin, jsonBytes } from "../../shared/paging.ts";
import {
	decodeStatuses,
	encodeListedTask,
	encodeState,
	encodeTask,
	type TaskView,
} from "../../shared/task-json.ts";
import { answerBudget } from "../codec.ts";
import { nameOfToken } from "../hidden-tokens.ts";
import { type HandlerContext, keyedRequest, type MethodsOf, targetOpen, targetOrNew } from "./request.ts";

type TaskMethod =
	| "submit_task"
	| "check_task"
	| "cancel_task"
	| "list_tasks"
	| "query_tasks"
	| "reply_task"
	| "retry_task";

/** Maximum number of tasks of `list_tasks`. */
const maxListed = 1_000;

export const taskMethods: MethodsOf<TaskMethod> = {
	async submit_task(connection, request) {
		const { id: sessionId } = await targetOrNew(connection, request);
		const { tasks } = connection.deps.runtime;
		const requested = decodeNewTask(request.params);
		return encodeSubmitted(await tasks.submit(keyedRequest(request, sessionId), sessionId, requested));
	},

	async check_task({ deps }, { params, principal }) {
		return encodeTask(await deps.runtime.tasks.check(principal, params.task_id), viewOf(principal));
	},

	async cancel_task(connection, request) {
		const { task_id, reason = "" } = request.params;
		const { tasks } = connection.deps.runtime;
		const state = await tasks.cancel(keyedRequest(request), task_id, reason);
		return { task_id, status: encodeState(state) };
	},

	async list_tasks(connection, request) {
		const { tasks } = connection.deps.runtime;
		const filter = { limit: maxListed, sessionId: targetOpen(connection, request).id };
		return listed(connection, request.principal, await tasks.list(request.principal, filter));
	},

	async query_tasks(connection, request) {
		const { params, principal } = request;
		const { tasks } = connection.deps.runtime;
		const addressed = request.sessionId === undefined ? undefined : connection.target(request)?.id;
		// Without this check, a query with an unknown task would return an empty page or all pages.
		for (const id of [params.before, params.parent_id])
			if (id !== undefined) await tasks.check(principal, id);
		const found = await tasks.list(principal, decodeTaskFilter(params, params.session_id ?? addressed));
		return { tasks: listed(connection, principal, found) };
	},

	async reply_task(connection, request) {
		const { task_id, feedback = "", status, token } = request.params;
		await connection.deps.runtime.tasks.reply(
			keyedRequest(request),
			task_id,
			defined({
				approved: status === "approved",
				feedback,
				token,
			}),
		);
		return { task_id, status: "replied" };
	},

	async retry_task(connection, request) {
		const { tasks } = connection.deps.runtime;
		return encodeSubmitted(await tasks.retry(keyedRequest(request), request.params.task_id));
	},
};

function viewOf({ kind }: Principal): TaskView {
	return { token: (token) => (kind === "observer" ? nameOfToken(token) : token) };
}

function listed(
	{ envelope }: HandlerContext,
	principal: Principal,
	tasks: Parameters<typeof encodeListedTask>[0][],
): TaskPayload[] {
	const view = viewOf(principal);
	const shown = tasks.map((task) => encodeListedTask(task, view));
	return firstWithin(shown, jsonBytes, answerBudget(envelope));
}

function encodeSubmitted({ id, notes }: Submitted): MethodResult<"submit_task"> {
	return {
		task_id: id,
		status: "submitted",
		...defined({ notes: notes.length > 0 ? [...notes] : undefined }),
	};
}

export function decodeNewTask(params: MethodParams<"submit_task">): NewTask {
	const { title, description, tools, priority, agent, model, depends_on, autonomy } = params;
	return defined({
		title,
		description,
		tools,
		priority,
		agent,
		model,
		dependsOn: depends_on,
		autonomy,
	});
}

export function decodeTaskFilter(
	{ status, parent_id, limit, before }: MethodParams<"query_tasks">,
	sessionId: string | undefined,
): TaskFilter {
	return defined({
		limit,
		sessionId,
		states: status && decodeStatuses(status),
		parentId: parent_id,
		before,
	});
}

import type { NewTask, TaskFacts, TaskFilter, TaskProgress, TaskState } from "@parley/core";
import type { MethodParams, TaskPayload } from "@parley/protocol";
import { beginning } from "./envelope-cut.ts";
import { toTime } from "./time.ts";
import { encodeUsage } from "./usage-codec.ts";

type Status = TaskPayload["status"];

/** Characters that a long text has in a list. */
const mostListed = 500;

/** How much of a task is told. */
export interface TaskView {
	/** What is shown for the token of a suspension; nothing for undefined. */
	readonly token: (token: string) => string | undefined;
}

/** A task with all that is known of it. */
export function encodeTask(task: TaskFacts, { token }: TaskView): TaskPayload {
	const { review, model, plan, retryOf, startedAt, endedAt } = task;
	const shown = review && token(review.token);
	return {
		...{ id: task.id, title: task.title, status: encodeState(task.state) },
		...{ progress: encodeProgress(task.progress), description: task.description },
		...{ session_id: task.sessionId, conversation: task.ownSessionId, parent_id: task.parentId ?? "" },
		...(retryOf !== undefined && { retry_of: retryOf }),
		...{ priority: task.priority, tools: [...task.tools], agent: task.agent },
		...(model !== undefined && { model }),
		...{ autonomy: task.autonomy, depends_on: [...task.dependsOn], owner: task.submittedBy },
		...(plan && { plan: plan.map(({ title, state }) => ({ title, status: state })) }),
		...(review && {
			suspension: {
				...{ reason: review.reason, plan_content: review.content },
				...(shown !== undefined && { token: shown }),
			},
		}),
		...{ suspend_count: task.suspendCount, retry_count: task.retryCount },
		...{ output: task.output, error: task.error },
		...{ created_at: toTime(task.createdAt), updated_at: toTime(task.updatedAt) },
		...(startedAt !== undefined && { started_at: toTime(startedAt) }),
		...(endedAt !== undefined && { completed_at: toTime(endedAt) }),
		usage: encodeUsage(task.usage),
	};
}

/** A task among others: without its plan, and with the beginnings of its long texts. */
export function encodeListedTask(task: TaskFacts, view: TaskView): TaskPayload {
	const { plan: _, ...payload } = encodeTask(task, view);
	const { description, output, error, suspension } = payload;
	return {
		...payload,
		...{ description: shortened(description), output: shortened(output), error: shortened(error) },
		...(suspension && { suspension: { ...suspension, plan_content: shortened(suspension.plan_content) } }),
	};
}

export function encodeProgress({ current, total, label, percentage }: TaskProgress): TaskPayload["progress"] {
	return { current_step: current, total_steps: total, current_step_label: label, percentage };
}

/** That a task waits for its workers is nothing that people could do something about. */
export function encodeState(state: TaskState): Status {
	return state === "waiting" ? "running" : state;
}

/** The states that are shown as one of these. */
export function decodeStatuses(statuses: readonly Status[]): TaskState[] {
	return [...new Set(statuses)].flatMap((status) =>
		status === "running" ? (["running", "waiting"] as const) : [status],
	);
}

export function decodeNewTask(params: MethodParams<"submit_task">): NewTask {
	const { title, description, tools, priority, agent, model, depends_on, autonomy } = params;
	return {
		...{ title, description },
		...(tools && { tools }),
		...(priority && { priority }),
		...(agent !== undefined && { agent }),
		...(model !== undefined && { model }),
		...(depends_on && { dependsOn: depends_on }),
		...(autonomy && { autonomy }),
	};
}

export function decodeTaskFilter(
	{ status, parent_id, limit, before }: MethodParams<"query_tasks">,
	sessionId: string | undefined,
): TaskFilter {
	return {
		limit,
		...(sessionId !== undefined && { sessionId }),
		...(status && { states: decodeStatuses(status) }),
		...(parent_id !== undefined && { parentId: parent_id }),
		...(before !== undefined && { before }),
	};
}

function shortened(text: string): string {
	return text.length <= mostListed ? text : `${beginning(text, mostListed)}…`;
}

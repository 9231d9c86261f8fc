import * as z from "zod";
import { key, maybe, notBlank, optionalSession, withDefault } from "./params.ts";
import { autonomies, TaskPayload, taskPriorities, taskStatuses } from "./task-payloads.ts";

const taskId = z.string().min(1).max(128);
const status = z.enum(taskStatuses);
const submitted = z.object({
	task_id: z.string(),
	status: z.literal("submitted"),
	/** Texts about default tools that the session does not have. */
	notes: z.exactOptional(z.array(z.string())),
});

export const taskMethods = {
	submit_task: {
		params: z.object({
			title: z.string().trim().min(1).max(200),
			description: z.string().max(32_000).regex(notBlank, "must not be blank"),
			/** Names of allowed tools. Default: `run_command`, `git` and `query_memories`. */
			tools: maybe(z.array(z.string().min(1).max(128)).max(50)),
			priority: maybe(z.enum(taskPriorities)),
			/** Name of the agent. Default: the agent in the channel settings, otherwise the agent of the session. */
			agent: maybe(z.string().min(1).max(128)),
			/** Name from `list_models`, or a tier. */
			model: maybe(z.string().trim().max(200).regex(notBlank, "must not be blank")),
			/** Ids of tasks of the same session. They must complete before the new task starts. */
			depends_on: maybe(z.array(taskId).max(20)),
			/** Whether the task requests reviews of its plans. Default: supervised, with reviews. */
			autonomy: maybe(z.enum(autonomies)),
			key,
		}),
		result: submitted,
	},
	check_task: { params: z.object({ task_id: taskId }), result: TaskPayload },
	/** Cancels a task with all its workers. Does nothing if the task has already ended. */
	cancel_task: {
		params: z.object({ task_id: taskId, reason: maybe(z.string().trim().max(1_000)), key }),
		/** Resulting state: `cancelled`, or the state in which the task had already ended. */
		result: z.object({ task_id: z.string(), status }),
	},
	/** Returns the tasks of the session, newest first. The result contains no plans, and long texts are shortened. */
	list_tasks: { params: z.object({}), result: z.array(TaskPayload) },
	/**
	 * Returns tasks, newest first. The result contains no plans, and long texts are shortened. Without `session_id`,
	 * returns the tasks of all sessions that the client may see.
	 */
	query_tasks: {
		params: z.object({
			session_id: optionalSession,
			/** One state or several states. */
			status: maybe(
				z.union([status.transform((one) => [one]), z.array(status).min(1).max(taskStatuses.length)], {
					error: `must be one or several of ${taskStatuses.join(", ")}`,
				}),
			),
			/** Id of a task. Returns only the workers of the task. */
			parent_id: maybe(taskId),
			limit: withDefault(z.int().min(1).max(1_000), 50),
			/**
			 * Id of a task, usually the last task on the previous page. Returns only tasks that were submitted before the
			 * task `before`.
			 */
			before: maybe(taskId),
		}),
		result: z.object({ tasks: z.array(TaskPayload) }),
	},
	/** Answers the question of a suspended task. */
	reply_task: {
		params: z.object({
			task_id: taskId,
			feedback: maybe(z.string().max(32_000)),
			status: z.enum(["approved", "revise"]),
			/**
			 * Token of the question, from `task.suspended`. If the token belongs to an earlier question, the request is
			 * refused.
			 */
			token: maybe(z.string().min(1).max(128)),
			key,
		}),
		result: z.object({ task_id: z.string(), status: z.literal("replied") }),
	},
	/** Submits an ended task again as a new task. */
	retry_task: { params: z.object({ task_id: taskId, key }), result: submitted },
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

import * as z from "zod";
import { key, maybe, notBlank, optionalSession, withDefault } from "./params.ts";
import { autonomies, TaskPayload, taskPriorities, taskStatuses } from "./task-payloads.ts";

const taskId = z.string().min(1).max(128);
const status = z.enum(taskStatuses);
/** A task that is to be worked on. */
const submitted = z.object({
	task_id: z.string(),
	status: z.literal("submitted"),
	/** What of its wishes it goes without, and why. */
	notes: z.exactOptional(z.array(z.string())),
});

/** Work in the background. */
export const taskMethods = {
	submit_task: {
		params: z.object({
			title: z.string().trim().min(1).max(200),
			description: z.string().max(32_000).regex(notBlank, "blank"),
			/** Names of the tools it may use; `run_command`, `git` and `query_memories` unless told. */
			tools: maybe(z.array(z.string().min(1).max(128)).max(50)),
			priority: maybe(z.enum(taskPriorities)),
			/** The session's own unless told. */
			agent: maybe(z.string().min(1).max(128)),
			/** A name that `list_models` shows, or a tier. */
			model: maybe(z.string().trim().max(200).regex(notBlank, "blank")),
			/** Tasks of the same session that must be completed first. */
			depends_on: maybe(z.array(taskId).max(20)),
			/** An autonomous task asks nobody what they think of its plans; supervised unless told. */
			autonomy: maybe(z.enum(autonomies)),
			key,
		}),
		result: submitted,
	},
	check_task: { params: z.object({ task_id: taskId }), result: TaskPayload },
	/** With all its workers. A task that has ended stays as it is. */
	cancel_task: {
		params: z.object({ task_id: taskId, reason: maybe(z.string().trim().max(1_000)), key }),
		/** What it is then: `cancelled`, or how it had ended before. */
		result: z.object({ task_id: z.string(), status }),
	},
	/** Of the session that is meant, newest first. */
	list_tasks: { params: z.object({}), result: z.array(TaskPayload) },
	/** Of all sessions that the client may see unless told, newest first. */
	query_tasks: {
		params: z.object({
			session_id: optionalSession,
			/** One or several. */
			status: maybe(
				z.union([status.transform((one) => [one]), z.array(status).min(1).max(taskStatuses.length)], {
					error: `must be one or several of ${taskStatuses.join(", ")}`,
				}),
			),
			/** Only the workers of this task. */
			parent_id: maybe(taskId),
			limit: withDefault(z.int().min(1).max(1_000), 50),
			/** Only tasks that were submitted before this one: the last of the page before. */
			before: maybe(taskId),
		}),
		result: z.object({ tasks: z.array(TaskPayload) }),
	},
	/** What somebody says of what a suspended task asks. */
	reply_task: {
		params: z.object({
			task_id: taskId,
			feedback: maybe(z.string().max(32_000)),
			status: z.enum(["approved", "revise"]),
			/** Of the question that is meant: with another one nothing happens. */
			token: maybe(z.string().min(1).max(128)),
			key,
		}),
		result: z.object({ task_id: z.string(), status: z.literal("replied") }),
	},
	/** Submits a task that has ended once more, as a new one. */
	retry_task: { params: z.object({ task_id: taskId, key }), result: submitted },
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

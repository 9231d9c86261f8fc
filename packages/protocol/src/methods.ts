import * as z from "zod";
import { AgentList, ModelList } from "./catalogue.ts";
import { changeMethods } from "./change-methods.ts";
import { commandMethods } from "./command-methods.ts";
import { memoryMethods } from "./memory-methods.ts";
import { MessageContextParams } from "./message-context.ts";
import { key, maybe, notBlank, optionalSession, runId, sessionId, title, withDefault } from "./params.ts";
import { promptMethods } from "./prompt-methods.ts";
import { scheduleMethods } from "./schedule-methods.ts";
import { sessionMethods } from "./session-methods.ts";
import { skillMethods } from "./skill-methods.ts";
import { taskMethods } from "./task-methods.ts";
import { trustMethods } from "./trust-methods.ts";
import { budgetPeriod, budgetScope, UsageReport } from "./usage-report.ts";

const seq = z.int().min(0);
const content = z.string().max(1_048_576).regex(notBlank, "must not be blank");
/** Position in the queue, from 1. Absent if the message is not queued. */
const queuedPosition = z.exactOptional(z.int().min(1));
/**
 * Error of `limitUsd`. A union reports only the issues of the member that matches the type of the value, so each member
 * and the union need the text.
 */
const limitError = "must be an amount in US dollars from 0 to 1000000, null or configured";
const limitUsd = z.union(
	[
		z.number().min(0, { error: limitError }).max(1_000_000, { error: limitError }),
		z.null(),
		z.literal("configured"),
	],
	{ error: limitError },
);
const day = z.iso.date({ error: "must be a day (UTC) such as 2026-01-31" });
const groupings = ["day", "model", "session"] as const;

/**
 * All methods, with their parameters and results. Unknown parameters are dropped. Null means absent, except
 * for `limit_usd`. Methods with a `key` parameter have side effects.
 */
export const methods = {
	open_session: {
		params: z.object({
			/**
			 * Id of the session. If empty or absent, the request opens the session with `external_key`, or a new session.
			 */
			session_id: maybe(sessionId),
			root_dir: maybe(z.string().max(4096)),
			after_seq: maybe(seq),
			join: maybe(z.boolean()),
			external_key: maybe(z.string().min(1).max(256)),
			title: maybe(title),
			profile: maybe(z.string().max(128)),
			key,
		}),
		result: z.object({
			session_id: z.string().min(1),
			status: z.enum(["created", "resumed"]),
			last_seq: seq,
		}),
	},
	send_message: {
		params: z.object({
			content,
			/** Ids of uploaded files. Images that the model can read go to the model, and other files to the working directory. */
			attachments: maybe(z.array(z.string().min(1).max(128)).max(20)),
			/**
			 * The client's own name for the message, for example the platform's id of the message. The gateway repeats the
			 * name in `user.message` and in its log.
			 */
			correlation_id: maybe(
				z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
			),
			/**
			 * Messages from the channel, as context for the model. A repetition of the request with the same `key` may
			 * have a different `context`, and has no effect.
			 */
			context: maybe(MessageContextParams),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string(), queued_position: queuedPosition }),
	},
	/**
	 * Runs a shell command of the operator as the tool `run_command` does. Calls no model, but later model
	 * calls see the command with its result. Only for operators, and not in chat sessions.
	 */
	run_command: {
		params: z.object({
			/** Shell command, without line breaks and other control characters. */
			command: z.string().min(1).max(16_384),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string(), queued_position: queuedPosition }),
	},
	/**
	 * Adds a message to the active run before the run's next model call. If that is not possible, the message gets its
	 * own run.
	 */
	steer: {
		params: z.object({ content, key }),
		result: z.object({
			status: z.enum(["steered", "sent"]),
			/** Run to which the message was added, or run that the message started. */
			run_id: z.string(),
			queued_position: queuedPosition,
		}),
	},
	/**
	 * Moves a queued message into the active run before the run's next model call. Only for the author of the message,
	 * and for clients that act for no person.
	 */
	join_turn: {
		params: z.object({ run_id: z.string().min(1).max(128), key }),
		result: z.object({
			/**
			 * State of the message. `queued`: the message stays in the queue. `begun`: the message had already left the
			 * queue.
			 */
			status: z.enum(["joined", "queued", "begun"]),
			/** Run to which the message was added. Otherwise, the message's own run. */
			run_id: z.string(),
		}),
	},
	/** Starts a run with the message of the last run, for a new reply. Effects of earlier tool calls remain. */
	retry: {
		params: z.object({ key }),
		result: z.object({ status: z.literal("sent"), run_id: z.string(), queued_position: queuedPosition }),
	},
	/** Sets the model for the next runs of the session. */
	set_model: {
		/** Name from `list_models`, or a tier. */
		params: z.object({ model: z.string().trim().max(200).regex(notBlank, "must not be blank"), key }),
		/** Name of the chosen model, not its tier. */
		result: z.object({ model: z.string() }),
	},
	prompt_response: {
		params: z.object({
			token: z.string().min(1).max(128),
			value: maybe(z.unknown()),
			values: maybe(z.array(z.string()).max(1000)),
			text: maybe(z.string()),
			cancelled: maybe(z.boolean()),
			/** Reason for the denial. The model receives the reason. */
			reason: maybe(z.string().max(1000)),
			/** Changed arguments. The answer approves the call with `arguments` in place of the proposed arguments. */
			arguments: maybe(z.record(z.string(), z.unknown())),
			/**
			 * Value of `context.changes` in the prompt that the person read, or 0 if it was absent. An approval is refused
			 * if the call has changed since.
			 */
			changes: maybe(z.int().min(0)),
			/** Whether a chat member typed the answer in a message. Some prompts refuse a typed answer. */
			typed: maybe(z.boolean()),
			key,
		}),
		/** `late`: the prompt was already answered or closed, so the answer in the request has no effect. */
		result: z.object({ status: z.literal("sent"), late: z.exactOptional(z.literal(true)) }),
	},
	accept_all_tools: {
		params: z.object({ key }),
		result: z.object({ status: z.literal("accepted") }),
	},
	cancel_turn: {
		params: z.object({
			/** Whether queued messages are also cancelled. */
			queued: maybe(z.boolean()),
			/** Run to cancel, active or queued. All other runs continue. Default: the active run. */
			run_id: runId,
			key,
		}),
		result: z.object({ status: z.enum(["cancelled", "idle"]) }),
	},
	list_sessions: {
		params: z.object({
			limit: withDefault(z.int().min(1).max(1000), 50),
			/** Words in the title, the external key or a message. Case is ignored. */
			query: maybe(z.string().trim().max(200)),
		}),
		result: z.object({
			sessions: z.array(
				z.object({
					session_id: z.string(),
					title: z.string(),
					status: z.string(),
					root_dir: z.string(),
					/** Time in the format of RFC 3339, also in `updated_at`. */
					created_at: z.string(),
					updated_at: z.string(),
					message_count: z.int().min(0),
					external_key: z.exactOptional(z.string()),
					/**
					 * Model from `set_model` or the channel settings. Absent if the profile or the gateway determines the
					 * model.
					 */
					model: z.exactOptional(z.string()),
					profile: z.exactOptional(z.string()),
					last_seq: seq,
					/** State of the session. `waiting`: a prompt is open. `running`: a run is active or queued. */
					state: z.enum(["idle", "running", "waiting"]),
				}),
			),
		}),
	},
	load_messages: {
		params: z.object({
			/** Session of the messages, for example the conversation of a task. Default: the session of the request. */
			session_id: optionalSession,
			limit: withDefault(z.int().min(1).max(50), 10),
			/** Returns only messages with a lower seq. */
			before: maybe(z.int().min(1)),
			/**
			 * Number of a frame. If given, returns the text of the frame instead of the newest messages. The text includes
			 * arguments, results and prompts.
			 */
			seq: maybe(z.int().min(1)),
			/** Number of characters of the text to skip. For the next page, the value of `next` on the previous page. */
			offset: maybe(seq),
		}),
		result: z.array(
			z.object({
				role: z.string(),
				content: z.string(),
				ts: z.string(),
				seq,
				/**
				 * Set if the message is older than the session, because a client imported the message or a fork copied it.
				 */
				imported: z.exactOptional(z.literal(true)),
				/** Value of `offset` for the next page, if the text is longer than the page. Absent on the last page. */
				next: z.exactOptional(z.int().min(1)),
			}),
		),
	},
	resume: {
		params: z.object({
			sessions: z
				.array(z.object({ session_id: sessionId.min(1), after_seq: maybe(seq) }))
				.min(1)
				.max(100),
		}),
		result: z.object({
			sessions: z.array(
				z.object({
					session_id: z.string(),
					ok: z.boolean(),
					status: z.exactOptional(z.string()),
					last_seq: z.exactOptional(seq),
					error: z.exactOptional(z.string()),
				}),
			),
		}),
	},
	usage: {
		params: z.object({
			/**
			 * Session of the report. Without a session here and in the frame, the report covers all sessions that the client
			 * may see.
			 */
			session_id: maybe(sessionId.min(1)),
			/** First UTC day of the report, inclusive. `until`: last UTC day, inclusive. */
			since: maybe(day),
			until: maybe(day),
			by: z
				.enum(groupings, { error: `must be one of ${groupings.join(", ")}` })
				.nullish()
				.transform((by) => by ?? "day"),
		}),
		result: UsageReport,
	},
	/** Sets a budget. Only for the operator. The budget stays valid until the next change, even after a restart. */
	set_budget: {
		params: z.object({
			scope: budgetScope,
			/** Session for scope `session`. Default: the session of the request. */
			session_id: maybe(sessionId.min(1)),
			period: budgetPeriod,
			/** New limit in US dollars. Null removes the limit. `configured` restores the configured limit. */
			limit_usd: limitUsd,
			key,
		}),
		result: z.object({ status: z.literal("set") }),
	},
	list_agents: { params: z.object({}), result: AgentList },
	list_models: { params: z.object({}), result: ModelList },
	...memoryMethods,
	...scheduleMethods,
	...skillMethods,
	...promptMethods,
	...commandMethods,
	...changeMethods,
	...sessionMethods,
	...taskMethods,
	...trustMethods,
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

export type MethodName = keyof typeof methods;

/** Parameters of a method before the parse, as a caller passes them. */
export type MethodInput<Name extends MethodName> = z.input<(typeof methods)[Name]["params"]>;

/** Parameters of a method after the parse: checked, without nulls, and with defaults. */
export type MethodParams<Name extends MethodName> = z.output<(typeof methods)[Name]["params"]>;

export type MethodResult<Name extends MethodName> = z.output<(typeof methods)[Name]["result"]>;

import * as z from "zod";
import { AgentList, ModelList } from "./catalogue.ts";
import { memoryMethods } from "./memory-methods.ts";
import { key, maybe, notBlank, optionalSession, runId, sessionId, title, withDefault } from "./params.ts";
import { promptMethods } from "./prompt-methods.ts";
import { scheduleMethods } from "./schedule-methods.ts";
import { sessionMethods } from "./session-methods.ts";
import { skillMethods } from "./skill-methods.ts";
import { taskMethods } from "./task-methods.ts";
import { trustMethods } from "./trust-methods.ts";
import { budgetPeriod, budgetScope, UsageReport } from "./usage-report.ts";

const seq = z.int().min(0);
/** What a person says. */
const content = z.string().max(1_048_576).regex(notBlank, "blank");
/** From 1; absent when the run started at once. */
const queuedPosition = z.exactOptional(z.int().min(1));
/** The number says it again: a union passes on what its only fitting member finds wrong. */
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
 * The methods that exist: what each accepts (unknown keys are dropped, null means absent) and what it answers.
 * Those with a `key` among their params change something.
 */
export const methods = {
	open_session: {
		params: z.object({
			/** Empty or absent: a new session. */
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
			/** Ids of files that were uploaded: images are for the model, others go to the working directory. */
			attachments: maybe(z.array(z.string().min(1).max(128)).max(20)),
			/**
			 * Names this message in its `user.message` and in the gateway's logs, down to the model call: a platform's own id
			 * of it, for instance.
			 */
			correlation_id: maybe(
				z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
			),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string(), queued_position: queuedPosition }),
	},
	/** A message that enters the run at work before its next model call; where none is at work it starts one. */
	steer: {
		params: z.object({ content, key }),
		result: z.object({
			status: z.enum(["steered", "sent"]),
			/** The run that it entered, or that it started. */
			run_id: z.string(),
			queued_position: queuedPosition,
		}),
	},
	/** Makes the last reply again. */
	retry: {
		params: z.object({ key }),
		result: z.object({ status: z.literal("sent"), run_id: z.string(), queued_position: queuedPosition }),
	},
	/** From the session's next run on. */
	set_model: {
		/** A name that `list_models` shows, or a tier. */
		params: z.object({ model: z.string().trim().max(200).regex(notBlank, "blank"), key }),
		/** The name that the tier stands for. */
		result: z.object({ model: z.string() }),
	},
	prompt_response: {
		params: z.object({
			token: z.string().min(1).max(128),
			value: maybe(z.unknown()),
			values: maybe(z.array(z.string()).max(1000)),
			text: maybe(z.string()),
			cancelled: maybe(z.boolean()),
			/** Why it was denied, for the model. */
			reason: maybe(z.string().max(1000)),
			/** Approves the call with these arguments instead of those that were asked about. */
			arguments: maybe(z.record(z.string(), z.unknown())),
			key,
		}),
		/** `late`: somebody else had answered before, or it could be answered no more; nothing was changed. */
		result: z.object({ status: z.literal("sent"), late: z.exactOptional(z.literal(true)) }),
	},
	accept_all_tools: {
		params: z.object({ key }),
		result: z.object({ status: z.literal("accepted") }),
	},
	cancel_turn: {
		params: z.object({
			/** Also drops the messages that wait for their turn. */
			queued: maybe(z.boolean()),
			/** Only this run, whether it is at work or waits for its turn. */
			run_id: runId,
			key,
		}),
		result: z.object({ status: z.enum(["cancelled", "idle"]) }),
	},
	list_sessions: {
		params: z.object({
			limit: withDefault(z.int().min(1).max(1000), 50),
			/** Words that the title or a message holds, whatever their case. */
			query: maybe(z.string().trim().max(200)),
		}),
		result: z.object({
			sessions: z.array(
				z.object({
					session_id: z.string(),
					title: z.string(),
					status: z.string(),
					root_dir: z.string(),
					/** Times are RFC 3339 strings. */
					created_at: z.string(),
					updated_at: z.string(),
					message_count: z.int().min(0),
					external_key: z.exactOptional(z.string()),
					/** What `set_model` chose; absent where the profile or the gateway decides. */
					model: z.exactOptional(z.string()),
					profile: z.exactOptional(z.string()),
					last_seq: seq,
					/** Whether something runs there, or waits for a person. */
					state: z.enum(["idle", "running", "waiting"]),
				}),
			),
		}),
	},
	load_messages: {
		params: z.object({
			/** Another session than the one that is meant anyway, such as the conversation of a task. */
			session_id: optionalSession,
			limit: withDefault(z.int().min(1).max(50), 10),
			/** Only messages with a lower seq. */
			before: maybe(z.int().min(1)),
			/** Instead of the newest: what the frame of this number says, also arguments, results and prompts. */
			seq: maybe(z.int().min(1)),
			/** Characters of it that are known already: the `next` of the page before. */
			offset: maybe(seq),
		}),
		result: z.array(
			z.object({
				role: z.string(),
				content: z.string(),
				ts: z.string(),
				seq,
				/** A client brought it along when it created the session. */
				imported: z.exactOptional(z.literal(true)),
				/** Of a text that goes on: the `offset` of its next page. */
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
			/** Of one session; of all that the client may see where neither this nor the frame names one. */
			session_id: maybe(sessionId.min(1)),
			/** UTC days, both included. */
			since: maybe(day),
			until: maybe(day),
			by: z
				.enum(groupings, { error: `must be one of ${groupings.join(", ")}` })
				.nullish()
				.transform((by) => by ?? "day"),
		}),
		result: UsageReport,
	},
	/** For the operator alone. It holds until it is changed again, also over restarts. */
	set_budget: {
		params: z.object({
			scope: budgetScope,
			/** For scope `session`; the session that the request means where absent. */
			session_id: maybe(sessionId.min(1)),
			period: budgetPeriod,
			/** Null lifts the limit, `configured` gives the configured one back. */
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
	...sessionMethods,
	...taskMethods,
	...trustMethods,
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

export type MethodName = keyof typeof methods;

/** What a caller of the method may give. */
export type MethodInput<Name extends MethodName> = z.input<(typeof methods)[Name]["params"]>;

/** What the method works with: checked, nulls gone, defaults filled in. */
export type MethodParams<Name extends MethodName> = z.output<(typeof methods)[Name]["params"]>;

/** What the method answers. */
export type MethodResult<Name extends MethodName> = z.output<(typeof methods)[Name]["result"]>;

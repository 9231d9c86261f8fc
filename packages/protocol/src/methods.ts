import * as z from "zod";

/** Existing clients write null where they mean absent. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullish().transform((value) => value ?? undefined);
}

function withDefault(schema: z.ZodInt, fallback: number) {
	return schema.nullish().transform((value) => value ?? fallback);
}

const sessionId = z.string().max(128);
const seq = z.int().min(0);
/** Idempotency: the same key gets the first answer again and changes nothing. */
const key = maybe(z.string().min(1).max(128));

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
			title: maybe(z.string().max(200)),
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
		params: z.object({ content: z.string().max(1_048_576).regex(/\S/, "blank"), key }),
		result: z.object({
			status: z.literal("sent"),
			run_id: z.string(),
			/** From 1; absent when the run started at once. */
			queued_position: z.exactOptional(z.int().min(1)),
		}),
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
			key,
		}),
		result: z.object({ status: z.literal("sent") }),
	},
	accept_all_tools: {
		params: z.object({ key }),
		result: z.object({ status: z.literal("accepted") }),
	},
	cancel_turn: {
		params: z.object({
			/** Also drops the messages that wait for their turn. */
			queued: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.enum(["cancelled", "idle"]) }),
	},
	list_sessions: {
		params: z.object({ limit: withDefault(z.int().min(1).max(1000), 50) }),
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
					last_seq: seq,
				}),
			),
		}),
	},
	load_messages: {
		params: z.object({
			limit: withDefault(z.int().min(1).max(50), 10),
			/** Only messages with a lower seq. */
			before: maybe(z.int().min(1)),
		}),
		result: z.array(z.object({ role: z.string(), content: z.string(), ts: z.string(), seq })),
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
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

export type MethodName = keyof typeof methods;

/** What a caller of the method may give. */
export type MethodInput<Name extends MethodName> = z.input<(typeof methods)[Name]["params"]>;

/** What the method works with: checked, nulls gone, defaults filled in. */
export type MethodParams<Name extends MethodName> = z.output<(typeof methods)[Name]["params"]>;

/** What the method answers. */
export type MethodResult<Name extends MethodName> = z.output<(typeof methods)[Name]["result"]>;

/** Methods of the protocol document that are not there yet: answered `not available`. */
export const documentedMethods = [
	"submit_task",
	"check_task",
	"cancel_task",
	"list_tasks",
	"reply_task",
] as const;

/** Further methods that this protocol will have: answered `not available` until then. */
export const plannedMethods = [
	"steer",
	"retry",
	"rename_session",
	"set_model",
	"query_tasks",
	"list_memories",
	"forget_memory",
	"schedule_task",
	"unschedule_task",
	"list_schedules",
	"feedback",
	"usage",
	"explain",
	"pair",
	"whoami",
	"request_grant",
	"list_grants",
	"revoke_grant",
] as const;

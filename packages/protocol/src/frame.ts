import * as z from "zod";

/** Bytes of one WebSocket message from a client; the gateway closes the connection above it. */
export const maxRequestBytes = 1_048_576;

/** What a client sends. Unknown keys are dropped; an absent or null `params` is `{}`. */
export const RequestFrame = z.object({
	type: z.literal("req"),
	id: z.string().min(1).max(128).regex(/[^\0]/, "blank"),
	method: z.string().min(1).max(64),
	params: z
		.record(z.string(), z.unknown())
		.nullish()
		.transform((params) => params ?? {}),
	/** Which of the connection's sessions is meant; the current one when absent. */
	session_id: z
		.string()
		.max(128)
		.nullish()
		.transform((id) => id ?? undefined),
});
export type RequestFrame = z.output<typeof RequestFrame>;

export interface SuccessFrame {
	readonly type: "res";
	readonly id: string;
	readonly ok: true;
	readonly payload: unknown;
}

/** `id` is absent where none could be read from the request. */
export interface FailureFrame {
	readonly type: "res";
	readonly id?: string;
	readonly ok: false;
	/** Begins with one of the fixed phrases, such as `session not found`, and may say more after a colon. */
	readonly error: string;
}

/** The answer to one request. */
export type ResponseFrame = SuccessFrame | FailureFrame;

/** What the gateway pushes. The keys stand in the order in which they are written. */
export interface EventFrame<Name extends string = string, Payload = unknown> {
	readonly type: "event";
	readonly event: Name;
	readonly session_id?: string;
	readonly payload: Payload;
	/** The place in the session, from 1 without gaps; of a transient frame that of the persisted frame before it. */
	readonly seq: number;
	/** Present on frames that are shown once and never replayed. */
	readonly transient?: true;
}

export type ServerFrame = ResponseFrame | EventFrame;

const Success = z.object({
	type: z.literal("res"),
	id: z.string(),
	ok: z.literal(true),
	payload: z.unknown(),
});

const Failure = z.object({
	type: z.literal("res"),
	id: z.exactOptional(z.string()),
	ok: z.literal(false),
	error: z.string(),
});

const Event = z.object({
	type: z.literal("event"),
	event: z.string().min(1),
	session_id: z.exactOptional(z.string()),
	payload: z.unknown(),
	seq: z.int().min(0),
	transient: z.exactOptional(z.literal(true)),
});

/** What a client receives: the envelope only, a payload is whatever the gateway wrote. */
export const ServerFrame = z.discriminatedUnion("type", [
	z.discriminatedUnion("ok", [Success, Failure]),
	Event,
]) satisfies z.ZodType<ServerFrame>;

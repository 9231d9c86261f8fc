import * as z from "zod";

/** Maximum bytes of a WebSocket message from a client. The gateway closes the connection after a longer message. */
export const maxRequestBytes = 1_048_576;

/** Request from a client. Unknown keys are dropped. An absent or null `params` means `{}`. */
export const RequestFrame = z.object({
	type: z.literal("req"),
	id: z.string().min(1).max(128).regex(/[^\0]/, "must not be blank"),
	method: z.string().min(1).max(64),
	params: z
		.record(z.string(), z.unknown())
		.nullish()
		.transform((params) => params ?? {}),
	/** Session of the request. Default: the current session of the connection. */
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

/** Error response. `id` is absent if the request had no readable id. */
export interface FailureFrame {
	readonly type: "res";
	readonly id?: string;
	readonly ok: false;
	/**
	 * Text of the error. It begins with a fixed phrase, for example `session not found`. More text may follow after a
	 * colon.
	 */
	readonly error: string;
}

/** Response to one request. */
export type ResponseFrame = SuccessFrame | FailureFrame;

/** Push frame from the gateway. On the wire, the keys have the order of the fields here. */
export interface EventFrame<Name extends string = string, Payload = unknown> {
	readonly type: "event";
	readonly event: Name;
	readonly session_id?: string;
	readonly payload: Payload;
	/**
	 * Sequence number in the session. Persisted frames are numbered from 1 without gaps. A transient frame repeats the
	 * number of the preceding persisted frame, or has 0.
	 */
	readonly seq: number;
	/** Set on a frame that is not persisted. */
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

/** Any frame that a client receives. Only the envelope is checked. */
export const ServerFrame = z.discriminatedUnion("type", [
	z.discriminatedUnion("ok", [Success, Failure]),
	Event,
]) satisfies z.ZodType<ServerFrame>;

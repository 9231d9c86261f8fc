import * as z from "zod";

/** Makes a schema optional. Null also means absent, because existing clients write null. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullish().transform((value) => value ?? undefined);
}

/** Pattern that requires a character other than white space and NUL. */
export const notBlank = /[^\s\0]/;

export function withDefault(schema: z.ZodInt, fallback: number) {
	return schema.nullish().transform((value) => value ?? fallback);
}

export const sessionId = z.string().max(128);
/** Session on which the method works, if it is not the session of the request. */
export const optionalSession = maybe(sessionId.min(1));
/**
 * Idempotency key, stored for 72 hours. A repeated request with the same key changes nothing and returns the first
 * result. `create_token` and `rotate_token` refuse a repeated key, because the text of a token is not stored.
 */
export const key = maybe(z.string().min(1).max(128));
export const title = z.string().trim().max(200, "must have at most 200 characters");
export const runId = maybe(z.string().min(1).max(128));

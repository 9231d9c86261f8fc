import * as z from "zod";

/** Existing clients write null for absent values. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullish().transform((value) => value ?? undefined);
}

/** Requires a character other than white space and NUL. */
export const notBlank = /[^\s\0]/;

export function withDefault(schema: z.ZodInt, fallback: number) {
	return schema.nullish().transform((value) => value ?? fallback);
}

export const sessionId = z.string().max(128);
/** A session that differs from the request's. */
export const optionalSession = maybe(sessionId.min(1));
/** Idempotency key: a repeated request gets the first result and changes nothing. */
export const key = maybe(z.string().min(1).max(128));
export const title = z.string().trim().max(200, "must have at most 200 characters");
export const runId = maybe(z.string().min(1).max(128));

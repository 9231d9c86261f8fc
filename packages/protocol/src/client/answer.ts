import { type ErrorCode, ParleyError } from "@parley/base";
import type * as z from "zod";
import { type MethodName, type MethodResult, methods } from "../methods.ts";

/** What came of a request: the payload of its response, or why there is none. */
export type Answer =
	| { readonly ok: true; readonly payload: unknown }
	| { readonly ok: false; readonly error: ParleyError };

const codes: readonly (readonly [phrase: string, code: ErrorCode])[] = [
	["unknown method", "unimplemented"],
	["not available", "unimplemented"],
	["invalid", "invalid_argument"],
	["duplicate id", "already_exists"],
	["session not found", "not_found"],
	["task not found", "not_found"],
	["prompt not found", "not_found"],
	["session busy", "resource_exhausted"],
	["rate limited", "resource_exhausted"],
	["the store could not commit", "unavailable"],
	["forbidden", "permission_denied"],
	["draining", "unavailable"],
	["seq not available", "data_loss"],
];

/** The error that a gateway's `ok: false` stands for, by how its text begins; the text is kept. */
export function decodeError(error: string): ParleyError {
	const known = codes.find(([phrase]) => error.startsWith(phrase));
	return new ParleyError(error, { code: known ? known[1] : "internal" });
}

/** Throws the gateway's error, or `internal` for an answer that is not of the method's form. */
export function decodeResult<Name extends MethodName>(method: Name, answer: Answer): MethodResult<Name> {
	if (!answer.ok) throw answer.error;
	// True by the definition of MethodResult, which the compiler does not follow through a type parameter.
	const schema = methods[method].result as unknown as z.ZodType<MethodResult<Name>>;
	const result = schema.safeParse(answer.payload);
	if (result.success) return result.data;
	throw new ParleyError(`the gateway's answer to ${method} cannot be read`, {
		code: "internal",
		cause: result.error,
	});
}

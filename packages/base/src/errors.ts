/** Error codes: the names of gRPC's status codes in snake_case, without `ok`, `unknown` and `out_of_range`. */
export type ErrorCode =
	| "cancelled"
	| "invalid_argument"
	| "deadline_exceeded"
	| "not_found"
	| "already_exists"
	| "permission_denied"
	| "unauthenticated"
	| "resource_exhausted"
	| "failed_precondition"
	| "aborted"
	| "unimplemented"
	| "internal"
	| "unavailable"
	| "data_loss";

export interface ParleyErrorOptions {
	readonly code: ErrorCode;
	/** The caught value, for the log. Clients never receive the value. */
	readonly cause?: unknown;
}

/** Error with a code. Clients may see the message, but not `cause` and `stack`. */
export class ParleyError extends Error {
	override readonly name = "ParleyError";
	readonly code: ErrorCode;

	constructor(message: string, options: ParleyErrorOptions) {
		super(message, "cause" in options ? { cause: options.cause } : {});
		this.code = options.code;
	}

	/**
	 * Converts any caught value to a `ParleyError`. Returns a `ParleyError` unchanged. For other values, the code is
	 * `cancelled` for an abort, `deadline_exceeded` for a timeout, and otherwise `internal` with a general message.
	 */
	static from(reason: unknown): ParleyError {
		if (reason instanceof ParleyError) return reason;
		const name = reason instanceof Error ? reason.name : undefined;
		if (name === "AbortError") return new ParleyError("cancelled", { code: "cancelled", cause: reason });
		if (name === "TimeoutError") {
			return new ParleyError("deadline exceeded", { code: "deadline_exceeded", cause: reason });
		}
		return new ParleyError("internal error", { code: "internal", cause: reason });
	}
}

/** Failure and its correction. The message has `separator` between both; default: ": ". */
interface Correctable {
	readonly what: string;
	readonly fix: string;
	readonly separator?: string;
}

/** Error with a known correction, so that a report can show the failure and the correction separately. */
export class CorrectableError extends ParleyError {
	readonly what: string;
	readonly fix: string;

	constructor({ what, fix, separator = ": " }: Correctable, options: ParleyErrorOptions) {
		super(`${what}${separator}${fix}`, options);
		this.what = what;
		this.fix = fix;
	}
}

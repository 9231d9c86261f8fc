/** The closed list of reasons why something failed: gRPC's status names in snake_case, without `ok` and `unknown`. */
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

/** What a `ParleyError` is made of besides its message. */
export interface ParleyErrorOptions {
	readonly code: ErrorCode;
	/** What was caught; for the log, never for a client. */
	readonly cause?: unknown;
}

/** The one error class. The message may be shown to the client that asked; `cause` and `stack` may not. */
export class ParleyError extends Error {
	override readonly name = "ParleyError";
	readonly code: ErrorCode;

	constructor(message: string, options: ParleyErrorOptions) {
		super(message, "cause" in options ? { cause: options.cause } : {});
		this.code = options.code;
	}

	/**
	 * Turns anything caught into a `ParleyError`: its own kind unchanged, an abort into `cancelled`, a timeout into
	 * `deadline_exceeded`, everything else into `internal` with a message that tells nothing. The original is the cause.
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

import { status } from "@grpc/grpc-js";
import type { ErrorCode } from "@parley/base";

export type SessionErrorCode =
	| "already_started"
	| "no_session"
	| "turn_in_progress"
	| "no_active_turn"
	| "invalid_argument"
	| "internal"
	| "model_error"
	| "agent_error"
	| "rate_limited"
	| "budget_exceeded"
	| "safety_violation"
	| "unsupported";

/** Error codes after which a repetition of the same request may succeed. */
const retryable: ReadonlySet<SessionErrorCode> = new Set(["internal", "model_error", "rate_limited"]);

export function isRetryable(code: SessionErrorCode): boolean {
	return retryable.has(code);
}

/**
 * Error codes about rights and limits, which end a stream at its start with a gRPC status. All other errors are
 * frames.
 */
const ofStatus: ReadonlySet<ErrorCode> = new Set([
	"permission_denied",
	"unauthenticated",
	"resource_exhausted",
]);

export function isStatus(code: ErrorCode): boolean {
	return ofStatus.has(code);
}

/** Codes of `SessionError` by error code. */
export const sessionCodes = {
	cancelled: "agent_error",
	invalid_argument: "invalid_argument",
	deadline_exceeded: "internal",
	not_found: "invalid_argument",
	already_exists: "invalid_argument",
	permission_denied: "invalid_argument",
	unauthenticated: "invalid_argument",
	resource_exhausted: "rate_limited",
	failed_precondition: "agent_error",
	aborted: "internal",
	unimplemented: "unsupported",
	internal: "internal",
	unavailable: "internal",
	data_loss: "internal",
} as const satisfies Record<ErrorCode, SessionErrorCode>;

/** gRPC statuses of errors that end a stream without a frame. */
export const rozStatuses = {
	cancelled: status.CANCELLED,
	invalid_argument: status.INVALID_ARGUMENT,
	deadline_exceeded: status.DEADLINE_EXCEEDED,
	not_found: status.NOT_FOUND,
	already_exists: status.ALREADY_EXISTS,
	permission_denied: status.PERMISSION_DENIED,
	unauthenticated: status.UNAUTHENTICATED,
	resource_exhausted: status.RESOURCE_EXHAUSTED,
	failed_precondition: status.FAILED_PRECONDITION,
	aborted: status.ABORTED,
	unimplemented: status.UNIMPLEMENTED,
	internal: status.INTERNAL,
	unavailable: status.UNAVAILABLE,
	data_loss: status.DATA_LOSS,
} as const satisfies Record<ErrorCode, status>;

import { status } from "@grpc/grpc-js";
import type { ErrorCode } from "@parley/base";

/** gRPC statuses for errors of unary methods. Problems of a run are `failed` events without a status. */
export const kontekstStatuses = {
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

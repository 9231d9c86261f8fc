import type { ErrorCode } from "@parley/base";

/** Error texts for clients by error code: the message, or a general text for internal errors. */
export const zotErrorMessages = {
	cancelled: (message) => message,
	invalid_argument: (message) => message,
	deadline_exceeded: (message) => message,
	not_found: (message) => message,
	already_exists: (message) => message,
	permission_denied: (message) => message,
	unauthenticated: (message) => message,
	resource_exhausted: (message) => message,
	failed_precondition: (message) => message,
	aborted: (message) => message,
	unimplemented: (message) => message,
	internal: () => "internal error: see the log on stderr",
	unavailable: (message) => message,
	data_loss: (message) => message,
} as const satisfies Record<ErrorCode, (message: string) => string>;

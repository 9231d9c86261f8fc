import type { ErrorCode } from "@parley/base";

/** How an error is told on this wire: its message, which is for people; what is nobody's business without it. */
export const errorTexts = {
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
	internal: () => "internal error; the log on stderr says more",
	unavailable: (message) => message,
	data_loss: (message) => message,
} as const satisfies Record<ErrorCode, (message: string) => string>;

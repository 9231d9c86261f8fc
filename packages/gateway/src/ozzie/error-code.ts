import type { ErrorCode } from "@parley/base";

/** How an error is told on this wire: the phrase that clients know first, the message after a colon. */
type Phrase = (message: string) => string;

const asIs: Phrase = (message) => message;
const after =
	(phrase: string): Phrase =>
	(message) =>
		message === phrase || message.startsWith(`${phrase}:`) ? message : `${phrase}: ${message}`;

/** The error strings of the Ozzie wire: docs/protocols/ozzie.md lists them. */
export const errorPhrases = {
	cancelled: asIs,
	invalid_argument: after("invalid params"),
	deadline_exceeded: asIs,
	not_found: asIs,
	already_exists: asIs,
	permission_denied: after("forbidden"),
	unauthenticated: after("forbidden"),
	resource_exhausted: asIs,
	failed_precondition: asIs,
	aborted: asIs,
	unimplemented: asIs,
	internal: () => "internal error",
	unavailable: asIs,
	data_loss: () => "internal error",
} as const satisfies Record<ErrorCode, Phrase>;

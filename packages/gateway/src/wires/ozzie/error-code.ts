import type { ErrorCode } from "@parley/base";

/** How an error is told on this wire: a phrase that clients know first, more after a colon. */
type Phrase = (message: string) => string;

/** Leaves a message alone that begins with one of the phrases, and puts the first of them before any other. */
function one(first: string, ...others: readonly string[]): Phrase {
	return (message) => {
		const known = [first, ...others].some((phrase) => message === phrase || message.startsWith(`${phrase}:`));
		return known ? message : `${first}: ${message}`;
	};
}

/**
 * The error strings of the Ozzie wire: docs/protocols/ozzie.md lists them, and there are no others. Codes that no method
 * answers today have the phrase that is nearest: what may pass is `session busy`, what cannot be had `not available`.
 */
export const errorPhrases = {
	cancelled: one("not available"),
	invalid_argument: one("invalid params"),
	deadline_exceeded: one("session busy"),
	not_found: one("not available", "session not found", "task not found", "prompt not found"),
	already_exists: one("invalid params"),
	permission_denied: one("forbidden"),
	// Who is connected has been let in.
	unauthenticated: one("forbidden"),
	resource_exhausted: one("session busy", "rate limited"),
	failed_precondition: one(
		"not available",
		...["session busy", "invalid id", "invalid request", "duplicate id", "seq not available"],
	),
	aborted: one("session busy"),
	unimplemented: one("not available", "unknown method"),
	internal: () => "internal error",
	unavailable: one("session busy", "draining", "the store could not commit"),
	data_loss: () => "internal error",
} as const satisfies Record<ErrorCode, Phrase>;

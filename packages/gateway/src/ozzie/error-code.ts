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

/** The error strings of the Ozzie wire: docs/protocols/ozzie.md lists them. */
export const errorPhrases = {
	cancelled: one("cancelled"),
	invalid_argument: one("invalid params"),
	deadline_exceeded: one("deadline exceeded"),
	not_found: one("not found", "session not found", "task not found", "prompt not found"),
	already_exists: one("already exists"),
	permission_denied: one("forbidden"),
	// Who is connected has been let in: this is what a model's provider says of the gateway's key.
	unauthenticated: one("unauthenticated"),
	// Not `session busy` for all: a budget that is spent is not over in a minute.
	resource_exhausted: one("limit reached", "session busy", "rate limited"),
	failed_precondition: one(
		"not available",
		...["session busy", "invalid id", "invalid request", "duplicate id", "seq not available"],
	),
	aborted: one("aborted"),
	unimplemented: one("not available", "unknown method"),
	internal: () => "internal error",
	unavailable: one("unavailable", "draining", "the store could not commit"),
	data_loss: () => "internal error",
} as const satisfies Record<ErrorCode, Phrase>;

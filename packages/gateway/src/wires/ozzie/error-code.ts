import type { ErrorCode } from "@parley/base";

/** A phrase of the protocol document, then details after a colon. */
type Phrase = (message: string) => string;

/** Adds the first phrase to a message that begins with none of the phrases. */
function one(first: string, ...others: readonly string[]): Phrase {
	return (message) => {
		const known = [first, ...others].some((phrase) => message === phrase || message.startsWith(`${phrase}:`));
		return known ? message : `${first}: ${message}`;
	};
}

/**
 * Phrases of error messages by error code, as docs/protocols/ozzie.md lists them. A code that no method returns has the
 * nearest phrase.
 */
export const errorPhrases = {
	cancelled: one("not available"),
	invalid_argument: one("invalid params"),
	deadline_exceeded: one("session busy"),
	not_found: one("not available", "session not found", "task not found", "prompt not found"),
	already_exists: one("invalid params"),
	permission_denied: one("forbidden"),
	// This code never occurs, because every connected client is authenticated.
	unauthenticated: one("forbidden"),
	resource_exhausted: one("session busy", "rate limited"),
	failed_precondition: one(
		"not available",
		"session busy",
		"invalid id",
		"invalid request",
		"duplicate id",
		"seq not available",
	),
	aborted: one("session busy"),
	unimplemented: one("not available", "unknown method"),
	internal: () => "internal error",
	unavailable: one("session busy", "draining", "the store could not commit"),
	data_loss: () => "internal error",
} as const satisfies Record<ErrorCode, Phrase>;

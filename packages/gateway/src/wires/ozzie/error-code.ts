import type { ErrorCode } from "@parley/base";

/** Function that returns a message: a phrase of the protocol document, then details after a colon. */
type Phrase = (message: string) => string;

function withPhrase(first: string, ...others: readonly string[]): Phrase {
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
	cancelled: withPhrase("not available"),
	invalid_argument: withPhrase("invalid params"),
	deadline_exceeded: withPhrase("session busy"),
	not_found: withPhrase("not available", "session not found", "task not found", "prompt not found"),
	already_exists: withPhrase("invalid params"),
	permission_denied: withPhrase("forbidden"),
	// This code never occurs, because every connected client is authenticated.
	unauthenticated: withPhrase("forbidden"),
	resource_exhausted: withPhrase("session busy", "rate limited"),
	failed_precondition: withPhrase(
		"not available",
		"session busy",
		"invalid id",
		"invalid request",
		"duplicate id",
		"seq not available",
	),
	aborted: withPhrase("session busy"),
	unimplemented: withPhrase("not available", "unknown method"),
	internal: () => "internal error",
	unavailable: withPhrase("session busy", "draining", "the store could not commit"),
	data_loss: () => "internal error",
} as const satisfies Record<ErrorCode, Phrase>;

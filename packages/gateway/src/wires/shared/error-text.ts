import { ParleyError, type Redactor } from "@parley/base";

/** The error for a client: its message may repeat what a request named or found, so secrets are redacted. */
export function shownError(reason: unknown, redactor: Pick<Redactor, "redact"> | undefined): ParleyError {
	const error = ParleyError.from(reason);
	const message = redactor?.redact(error.message) ?? error.message;
	return message === error.message ? error : new ParleyError(message, { code: error.code, cause: error });
}

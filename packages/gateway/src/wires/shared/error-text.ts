import { ParleyError } from "@parley/base";

export interface ErrorRedactor {
	redact(text: string): string;
}

/**
 * Returns the error to send to a client. The redactor, if any, removes secrets, because the message may contain a
 * part of the request or of stored data.
 */
export function shownError(reason: unknown, redactor: ErrorRedactor | undefined): ParleyError {
	const error = ParleyError.from(reason);
	const message = redactor?.redact(error.message) ?? error.message;
	return message === error.message ? error : new ParleyError(message, { code: error.code, cause: error });
}

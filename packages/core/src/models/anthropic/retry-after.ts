/** Seconds as providers write them; not all that `Number` would take. */
const SECONDS = /^\d+(\.\d+)?(e\d{1,2})?$/i;

/** The date format that servers must use: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long an answer asks us to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date.
 * Undefined where it says nothing, nothing sensible, or a time that is over.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
	return (
		positive(numberOf(headers.get("retry-after-ms"))) ?? positive(waitOf(headers.get("retry-after"), now))
	);
}

function waitOf(value: string | null, now: number): number {
	const text = value?.trim() ?? "";
	return HTTP_DATE.test(text) ? Date.parse(text) - now : numberOf(text) * 1000;
}

function numberOf(value: string | null): number {
	const text = value?.trim() ?? "";
	return SECONDS.test(text) ? Number(text) : Number.NaN;
}

function positive(ms: number): number | undefined {
	return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}

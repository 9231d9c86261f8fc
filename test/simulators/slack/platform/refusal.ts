/** Details of an error in addition to its name: https://docs.slack.dev/apis/web-api#errors */
export interface RefusalDetails {
	/** Fields of the response in addition to `ok` and `error`. */
	readonly body?: Readonly<Record<string, unknown>>;
	/** HTTP status. By default, 200. */
	readonly status?: number;
	readonly retryAfterMs?: number;
}

/** Error response of Slack. `error` is the name of the error. */
export class Refusal extends Error {
	override readonly name = "Refusal";
	readonly error: string;
	readonly details: RefusalDetails;

	constructor(error: string, details: RefusalDetails = {}) {
		super(error);
		this.error = error;
		this.details = details;
	}
}

/** Returns the refusal of a rate limit: https://docs.slack.dev/apis/web-api/rate-limits */
export function rateLimited(retryAfterMs: number): Refusal {
	return new Refusal("ratelimited", { status: 429, retryAfterMs });
}

/** What Slack says about an error, besides its word: https://docs.slack.dev/apis/web-api#errors */
export interface RefusalDetails {
	/** What the answer holds besides `ok` and `error`. */
	readonly body?: Readonly<Record<string, unknown>>;
	/** 200 unless told. */
	readonly status?: number;
	/** Of a rate limit. */
	readonly retryAfterMs?: number;
}

/** An answer of Slack that says no, by the word of its documentation. */
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

/** https://docs.slack.dev/apis/web-api/rate-limits */
export function rateLimited(retryAfterMs: number): Refusal {
	return new Refusal("ratelimited", { status: 429, retryAfterMs });
}

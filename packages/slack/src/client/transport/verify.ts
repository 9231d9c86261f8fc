import type { Clock } from "@parley/base";
import { verifySlackRequest } from "@slack/bolt";

/**
 * Maximum difference from this machine's clock: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
const windowMs = 5 * 60_000;

export interface SignedRequest {
	readonly signingSecret: string;
	/** The unparsed body. */
	readonly body: string;
	readonly timestamp: string | undefined;
	readonly signature: string | undefined;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/**
 * Returns the reason to refuse a request, or undefined for an acceptable head. Reasons are a missing signature, an
 * invalid timestamp, and a time outside the window.
 */
export function forgeryInHead({
	timestamp,
	signature,
	now,
}: Omit<SignedRequest, "body" | "signingSecret">): string | undefined {
	if (timestamp === undefined || signature === undefined) return "the request has no signature";
	if (!/^\d{1,12}$/.test(timestamp)) return "the timestamp of the request is invalid";
	const isOld = Math.abs(now - Number(timestamp) * 1000) > windowMs;
	return isOld ? "the time of the request differs from this machine's by more than five minutes" : undefined;
}

/**
 * Returns the reason to refuse a request, or undefined for a valid request. Bolt's own check accepts timestamps in
 * the future.
 */
export function forgery(request: SignedRequest): string | undefined {
	const inHead = forgeryInHead(request);
	if (inHead !== undefined) return inHead;
	const { signingSecret, body, now, timestamp, signature } = request;
	try {
		verifySlackRequest({
			signingSecret,
			body,
			nowMilliseconds: now,
			headers: { "x-slack-signature": signature ?? "", "x-slack-request-timestamp": Number(timestamp) },
		});
		return undefined;
	} catch {
		return "the signature of the request does not match the signing secret";
	}
}

/**
 * Milliseconds for which a result is stored. A signature is valid for five minutes, and the clocks of Slack and this
 * machine may differ by five minutes.
 */
const retentionMs = 11 * 60_000;
const maxResults = 20_000;

/**
 * Results of signed requests while their signatures are valid, so that a replayed request has no further effect.
 * After a failure, Slack can send the request again.
 */
export class ReplayMemory<Result> {
	readonly #clock: Clock;
	/** Results by signature. This is not a cache: an evicted signature could be used again. */
	readonly #known = new Map<string, { readonly result: Promise<Result>; readonly until: number }>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Returns the stored result for the signature, or else runs `work` and stores its result. Returns undefined, without
	 * running `work`, if the memory is full.
	 */
	once(signature: string, work: () => Promise<Result>): Promise<Result> | undefined {
		const now = this.#clock.monotonic();
		for (const [old, { until }] of this.#known) {
			if (until > now) break;
			this.#known.delete(old);
		}
		const known = this.#known.get(signature);
		if (known !== undefined) return known.result;
		if (this.#known.size >= maxResults) return undefined;
		const result = work();
		this.#known.set(signature, { result, until: now + retentionMs });
		result.catch(() => this.#known.delete(signature));
		return result;
	}
}

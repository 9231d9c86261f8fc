import { defined, ParleyError } from "@parley/base";
import type { Logger as SlackLogger } from "@slack/bolt";
import {
	WebAPIHTTPError,
	WebAPIPlatformError,
	WebAPIRateLimitedError,
	WebClient,
	type WebClientOptions,
} from "@slack/web-api";
import { connectionTexts } from "../texts/connection.ts";
import type { SlackAnswer, SlackCall } from "../vocabulary/slack-port.ts";

const timeoutMs = 15_000;

/**
 * Returns the options of a web client without retries. By default, the client repeats calls that Slack may have
 * executed, and one rate limit delays all calls. When the signal aborts, calls end without a response.
 */
export function webOptions(
	apiUrl: string | undefined,
	logger: SlackLogger,
	signal?: AbortSignal,
): WebClientOptions {
	return {
		...defined({ fetch: signal && endingWith(signal), slackApiUrl: apiUrl }),
		logger,
		timeout: timeoutMs,
		retryConfig: { retries: 0 },
		rejectRateLimitedCalls: true,
		allowAbsoluteUrls: false,
	};
}

function endingWith(signal: AbortSignal): NonNullable<WebClientOptions["fetch"]> {
	return (url, init) =>
		fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal });
}

/** Reading methods. Thousands of these calls may be queued. */
const reads: ReadonlySet<string> = new Set([
	"users.info",
	"conversations.info",
	"conversations.history",
	"conversations.replies",
	"files.info",
]);
const readsAtOnce = 20;

/** Slack's Web API with one token. Other calls do not wait for queued reading calls. */
export class WebCalls {
	readonly #client: WebClient;
	readonly #reader: WebClient;

	constructor(token: string, options: WebClientOptions) {
		this.#client = new WebClient(token, options);
		this.#reader = new WebClient(token, { ...options, maxRequestConcurrency: readsAtOnce });
	}

	/** Calls a method; see `SlackPort.call`. */
	async call({ method, args }: SlackCall): Promise<SlackAnswer> {
		try {
			const { ok: _ok, ...body } = await (reads.has(method) ? this.#reader : this.#client).apiCall(
				method,
				args,
			);
			return { type: "ok", body };
		} catch (reason) {
			return refusalOf(method, reason);
		}
	}
}

/**
 * Returns the answer for a rate limit, or for a response with an error code:
 * https://docs.slack.dev/apis/web-api/rate-limits. Throws `unavailable` for any other error.
 */
function refusalOf(method: string, reason: unknown): SlackAnswer {
	if (reason instanceof WebAPIRateLimitedError) {
		return { type: "rate-limited", retryAfterMs: reason.retryAfter * 1000 };
	}
	if (reason instanceof WebAPIPlatformError) {
		const { ok: _ok, error, ...body } = reason.data;
		// This is a rate limit without status 429, for example behind a proxy.
		if (error === "ratelimited" || error === "rate_limited")
			return { type: "rate-limited", retryAfterMs: 30_000 };
		return { type: "refused", error, body };
	}
	const message =
		reason instanceof WebAPIHTTPError
			? connectionTexts.answered({ error: `status ${reason.statusCode}`, method })
			: connectionTexts.noAnswer({ method });
	throw new ParleyError(message, { code: "unavailable", cause: reason });
}

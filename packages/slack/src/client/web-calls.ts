import { defined, ParleyError } from "@parley/base";
import type { Logger as SlackLogger } from "@slack/bolt";
import {
	WebAPIHTTPError,
	WebAPIPlatformError,
	WebAPIRateLimitedError,
	WebClient,
	type WebClientOptions,
} from "@slack/web-api";
import type { SlackAnswer, SlackCall } from "../vocabulary/slack-port.ts";

const timeoutMs = 15_000;

/**
 * One request a call. By itself the client would make one again for half an hour, also where Slack has carried it out,
 * and would hold up all others for one that is limited. When the signal aborts it asks no more, and waits for no answer.
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

/** What is asked to understand what came, and what was missed: there may be thousands of these in a line. */
const reads: ReadonlySet<string> = new Set([
	...["users.info", "conversations.info", "conversations.history", "conversations.replies", "files.info"],
]);
const readsAtOnce = 20;

/** Slack's Web API with one token. What people wait for does not stand in one line with what is read. */
export class WebCalls {
	readonly #client: WebClient;
	readonly #reader: WebClient;

	constructor(token: string, options: WebClientOptions) {
		this.#client = new WebClient(token, options);
		this.#reader = new WebClient(token, { ...options, maxRequestConcurrency: readsAtOnce });
	}

	/** See `SlackPort.call`. */
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

/** Throws what is no answer: https://docs.slack.dev/apis/web-api/rate-limits and each method's page name the others. */
function refusalOf(method: string, reason: unknown): SlackAnswer {
	if (reason instanceof WebAPIRateLimitedError) {
		return { type: "rate-limited", retryAfterMs: reason.retryAfter * 1000 };
	}
	if (reason instanceof WebAPIPlatformError) {
		const { ok: _ok, error, ...body } = reason.data;
		// Slack says the same with a status of 429, and in words where a proxy has taken the status away.
		if (error === "ratelimited" || error === "rate_limited")
			return { type: "rate-limited", retryAfterMs: 30_000 };
		return { type: "refused", error, body };
	}
	const what = reason instanceof WebAPIHTTPError ? `status ${reason.statusCode}` : "no answer";
	throw new ParleyError(`Slack gave ${what} to ${method}`, { code: "unavailable", cause: reason });
}

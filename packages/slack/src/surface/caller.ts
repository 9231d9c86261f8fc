import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type RateLimit } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import type { SlackAnswer, SlackPort } from "../vocabulary/slack-port.ts";
import { type Counted, everything, type RateLimits } from "./rate-limits.ts";
import { isAboutToken, isTemporary, refusalError } from "./refused.ts";

/** Slack's response to a successful call. */
export interface ApiResponse {
	readonly body: Readonly<Record<string, unknown>>;
	/** Rate limits that are exhausted or nearly exhausted. */
	readonly limits: readonly RateLimit[];
}

export interface CallerParts {
	readonly port: SlackPort;
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly log: Logger;
}

type Args = Readonly<Record<string, unknown>>;

/** Milliseconds to wait after Slack has refused the token, or has refused a call temporarily. */
const refusedMs = 60_000;

/** Makes single calls, and converts every failure to a `DeliveryError`. */
export class Caller {
	readonly #parts: CallerParts;
	#refusedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: CallerParts) {
		this.#parts = parts;
	}

	/**
	 * Sends a call, and returns Slack's response. During a known rate limit, or for a minute after a refusal of the
	 * token, rejects with `rate-limited` instead.
	 */
	async ask(counted: Counted, args: Args): Promise<ApiResponse> {
		const { port, limits } = this.#parts;
		const { method } = counted;
		this.#checkToken(method);
		limits.count(counted);
		const answer = await port.call({ method, args }).catch(unknown);
		const body = this.#carried(answer, method, limits.nameOf(counted));
		return { body, limits: limits.emptied(counted) };
	}

	/** Posts to a `response_url`. These posts do not count toward the limits in `RateLimits`. */
	async respond(url: string, body: Args): Promise<void> {
		const answer = await this.#parts.port.respond(url, body).catch(unknown);
		this.#carried(answer, "response_url", "response_url");
	}

	async upload(url: string, bytes: Uint8Array): Promise<void> {
		const answer = await this.#parts.port.upload(url, bytes).catch(unknown);
		this.#carried(answer, deliveryTexts.fileUpload, "upload");
	}

	#carried(answer: SlackAnswer, method: string, scope: string): ApiResponse["body"] {
		if (answer.type === "ok") return answer.body;
		if (answer.type === "rate-limited") {
			const limit = { scope, retryAfterMs: answer.retryAfterMs };
			throw new DeliveryError(deliveryTexts.limited({ method }), { kind: "rate-limited", limit });
		}
		const { clock, log } = this.#parts;
		if (isTemporary(answer.error)) {
			const refusal = refusalError(method, answer, { scope, retryAfterMs: refusedMs });
			log.warn("Slack refuses calls temporarily", { error: refusal });
			throw refusal;
		}
		if (!isAboutToken(answer.error)) throw refusalError(method, answer);
		this.#refusedUntil = clock.monotonic() + refusedMs;
		const refusal = refusalError(method, answer, { scope: everything, retryAfterMs: refusedMs });
		log.error("Slack does not accept the token", { error: refusal });
		throw refusal;
	}

	/** Throws for a minute after Slack has refused the token, so that posts wait. */
	#checkToken(method: string): void {
		const left = this.#refusedUntil - this.#parts.clock.monotonic();
		if (left <= 0) return;
		const limit = { scope: everything, retryAfterMs: left };
		throw new DeliveryError(deliveryTexts.tokenRefused({ method }), {
			kind: "rate-limited",
			limit,
		});
	}
}

function unknown(cause: unknown): never {
	throw DeliveryError.from(cause);
}

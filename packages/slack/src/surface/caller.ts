import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type RateLimit } from "@parley/connector";
import type { SlackAnswer, SlackPort } from "../vocabulary/slack-port.ts";
import { type Counted, everything, type RateLimits } from "./rate-limits.ts";
import { isOfTheMoment, isOfTheToken, refusalOf } from "./refused.ts";

/** What Slack answered to a call that it carried out. */
export interface Carried {
	readonly body: Readonly<Record<string, unknown>>;
	/** Buckets that are empty, or nearly. */
	readonly limits: readonly RateLimit[];
}

export interface CallerParts {
	readonly port: SlackPort;
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly log: Logger;
}

type Args = Readonly<Record<string, unknown>>;

/** After Slack has refused the token, or for the moment, it is not asked for this long. */
const refusedMs = 60_000;

/** Makes single calls, and turns what is no success into a `DeliveryError`. */
export class Caller {
	readonly #parts: CallerParts;
	#refusedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: CallerParts) {
		this.#parts = parts;
	}

	/** Nothing leaves while Slack would refuse it for its rate limits, as far as that is known. */
	async ask(counted: Counted, args: Args): Promise<Carried> {
		const { port, limits } = this.#parts;
		const { method } = counted;
		this.#checkToken(method);
		limits.take(counted);
		const answer = await port.call({ method, args }).catch(unknown);
		const body = this.#carried(answer, method, limits.nameOf(counted));
		return { body, limits: limits.emptied(counted) };
	}

	/** Answers at an address that Slack gave for it, which counts towards nothing else. */
	async respond(url: string, body: Args): Promise<void> {
		const answer = await this.#parts.port.respond(url, body).catch(unknown);
		this.#carried(answer, "response_url", "response_url");
	}

	async upload(url: string, bytes: Uint8Array): Promise<void> {
		const answer = await this.#parts.port.upload(url, bytes).catch(unknown);
		this.#carried(answer, "the upload of a file", "upload");
	}

	#carried(answer: SlackAnswer, method: string, scope: string): Carried["body"] {
		if (answer.type === "ok") return answer.body;
		if (answer.type === "rate-limited") {
			const limit = { scope, retryAfterMs: answer.retryAfterMs };
			throw new DeliveryError(`Slack lets ${method} wait`, { kind: "rate-limited", limit });
		}
		const { clock, log } = this.#parts;
		if (isOfTheMoment(answer.error)) {
			const refusal = refusalOf(method, answer, { scope, retryAfterMs: refusedMs });
			log.warn("Slack refuses something for the moment", { error: refusal });
			throw refusal;
		}
		if (!isOfTheToken(answer.error)) throw refusalOf(method, answer);
		this.#refusedUntil = clock.monotonic() + refusedMs;
		const refusal = refusalOf(method, answer, { scope: everything, retryAfterMs: refusedMs });
		log.error("Slack refuses the bot's token", { error: refusal });
		throw refusal;
	}

	/** With another token it would be carried out: nothing is lost while somebody sees to that. */
	#checkToken(method: string): void {
		const left = this.#refusedUntil - this.#parts.clock.monotonic();
		if (left <= 0) return;
		const limit = { scope: everything, retryAfterMs: left };
		throw new DeliveryError(`${method} waits: Slack refuses the bot's token`, {
			kind: "rate-limited",
			limit,
		});
	}
}

function unknown(cause: unknown): never {
	throw DeliveryError.from(cause);
}

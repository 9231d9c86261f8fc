import type { Anthropic, Middleware } from "@anthropic-ai/sdk";
import { type Clock, ParleyError } from "@parley/base";
import type { Answered } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { type Asked, connectionError, eventError, statusError } from "./errors.ts";
import { isFields } from "./fields.ts";
import { GuardedBody } from "./guarded-body.ts";
import { type Timeouts, Watchdog } from "./watchdog.ts";

/** What an exchange is about, and what it has to keep to. */
export interface ExchangeOptions {
	readonly host: string;
	readonly model: string;
	/** See `Asked`. */
	readonly keyName: string | undefined;
	readonly keyed: boolean;
	readonly clock: Clock;
	readonly timeouts: Timeouts;
	readonly signal: AbortSignal;
	readonly answered?: Answered | undefined;
}

/** Bytes of an answer that is not a stream: an error, or a count. */
const MAX_PLAIN = 64 << 10;

/** How long the explanation of an error is waited for. */
const EXPLANATION_MS = 5000;

/** After the end of a reply only the end of the connection's answer is left to come. */
const FAREWELL_MS = 1000;

/**
 * One request and its answer: ends it when the caller aborts or time is up, keeps it small, and knows afterwards why it
 * failed. Leaves neither timer nor listener nor socket behind once it is closed.
 */
export class Exchange {
	readonly #options: ExchangeOptions;
	readonly #controller = new AbortController();
	readonly #watchdog: Watchdog;
	/** The first thing that went wrong; what follows from it is of no interest. */
	#failure: ModelError | undefined;
	#status: number | undefined;
	#body: GuardedBody | undefined;

	constructor(options: ExchangeOptions) {
		this.#options = options;
		this.#watchdog = new Watchdog(options.clock, options.timeouts, (what) => {
			this.#fail(new ModelError(`${options.host}: ${what}`, { fault: "timeout" }));
			this.#abort();
		});
		options.signal.addEventListener("abort", this.#abort, { once: true });
		if (options.signal.aborted) this.#abort();
	}

	get asked(): Asked {
		const { host, model, clock, keyName, keyed } = this.#options;
		return { host, model, now: clock.now(), keyName, keyed };
	}

	/** The status of an answer that is an error. */
	get status(): number | undefined {
		return this.#status;
	}

	/** For a request whose answer is a stream of events. */
	get streaming(): Anthropic.RequestOptions {
		return this.#requestOptions((response) => this.#guarded(response));
	}

	/** For a request whose answer is a small document. */
	get plain(): Anthropic.RequestOptions {
		// An empty text is no body at all, which some statuses ask for.
		return this.#requestOptions(
			async (response) => new Response((await this.#text(response)) || null, response),
		);
	}

	/** The reply is complete: the rest of the answer is only waited for so that the connection can be used again. */
	finish(): void {
		this.#watchdog.hurry(FAREWELL_MS);
	}

	/** Why it failed: `reason` is what was caught, undefined where the answer just ended. */
	explain(reason?: unknown): ParleyError {
		if (this.#options.signal.aborted) {
			return new ParleyError("the model call was cancelled", { code: "cancelled", cause: reason });
		}
		if (this.#failure) return this.#failure;
		if (reason instanceof ParleyError) return reason;
		if (isEventError(reason)) return eventError(reason.error, reason.headers, this.asked);
		if (reason === undefined) return interrupted("the answer ended before it was complete");
		if (reason instanceof SyntaxError)
			return interrupted("the answer was damaged on its way: it is not JSON", reason);
		if (isFields(reason) && reason["name"] === "AnthropicError")
			return interrupted("the answer was empty", reason);
		return ParleyError.from(reason);
	}

	/** Ends whatever is still under way. */
	close(): void {
		this.#watchdog.stop();
		this.#options.signal.removeEventListener("abort", this.#abort);
		// To abort what has come to its end would do nothing, and takes longer than all else here.
		if (!this.#body?.ended) this.#abort();
	}

	readonly #abort = (): void => this.#controller.abort();

	#fail(error: ModelError): ModelError {
		this.#failure ??= error;
		return this.#failure;
	}

	#requestOptions(accept: (response: Response) => Response | Promise<Response>): Anthropic.RequestOptions {
		const pass: Middleware = async (request, next) => {
			const response = await next(request).catch((reason: unknown) => {
				throw this.#fail(connectionError(reason, this.asked));
			});
			this.#tellId(response.headers.get("request-id"));
			if (response.ok) return accept(response);
			throw await this.#refusal(response);
		};
		return { signal: this.#controller.signal, middleware: [pass] };
	}

	/** https://platform.claude.com/docs/en/api/errors#request-id; other servers may say anything there. */
	#tellId(id: string | null): void {
		if (id !== null && /^[\w-]{1,100}$/.test(id)) this.#options.answered?.(id);
	}

	/** The status says what is wrong, whether or not the body comes that would say more. */
	async #refusal(response: Response): Promise<ModelError> {
		const { status, headers } = response;
		this.#status = status;
		this.#fail(statusError(status, headers, "", this.asked));
		this.#watchdog.hurry(EXPLANATION_MS);
		const text = await this.#text(response).catch(() => "");
		this.#failure = statusError(status, headers, text, this.asked);
		return this.#failure;
	}

	/** The same response with a body that keeps to the limits of a stream. Throws if it is no stream of events. */
	#guarded(response: Response): Response {
		const type = response.headers.get("content-type") ?? "";
		// Most likely a page that some other server has for everybody: another try would get it again.
		if (/^(?:text\/html|application\/json)\b/i.test(type)) {
			throw this.#fail(
				new ModelError(`${this.#options.host} answers, but not as a Messages API does: check the base URL`, {
					fault: "rejected",
				}),
			);
		}
		if (response.body === null) return response;
		this.#body = new GuardedBody(response.body, this.#watchdog);
		return new Response(ReadableStream.from(this.#body), response);
	}

	/** The beginning of the body. */
	async #text(response: Response): Promise<string> {
		if (response.body === null) return "";
		const chunks: Uint8Array[] = [];
		let size = 0;
		for await (const chunk of new GuardedBody(response.body, this.#watchdog)) {
			chunks.push(chunk);
			size += chunk.length;
			if (size > MAX_PLAIN) break;
		}
		return Buffer.concat(chunks).subarray(0, MAX_PLAIN).toString();
	}
}

/** The SDK's error for an `error` event: without a status, as the answer had begun with 200. */
function isEventError(reason: unknown): reason is { error: unknown; headers: Headers | undefined } {
	return isFields(reason) && reason["name"] === "APIError" && reason["status"] === undefined;
}

function interrupted(message: string, cause?: unknown): ModelError {
	return new ModelError(message, { fault: "interrupted", ...(cause !== undefined && { cause }) });
}

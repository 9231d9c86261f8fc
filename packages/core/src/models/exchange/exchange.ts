import type { Anthropic, Middleware } from "@anthropic-ai/sdk";
import { type Clock, defined, ParleyError } from "@parley/base";
import type { OnResponseStart } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { connectionError, eventError, isFields, type RequestFacts, statusError } from "./errors.ts";
import { GuardedBody, LastEvent, repeatingLimits } from "./guarded-body.ts";
import { exchangeTexts } from "./texts.ts";
import { type Timeouts, Watchdog } from "./watchdog.ts";

export interface ExchangeOptions extends ExchangeCall {
	readonly host: string;
	readonly model: string;
	/** Name of the option or environment variable for the key: see `RequestFacts`. */
	readonly keyName: string | undefined;
	readonly keyed: boolean;
	/** Name of the API in error messages. Default: Messages API. */
	readonly api?: string | undefined;
	readonly clock: Clock;
}

export interface ExchangeCall {
	readonly timeouts: Timeouts;
	readonly signal: AbortSignal;
	readonly answered?: OnResponseStart | undefined;
}

/** Maximum bytes of an answer without streaming, such as an error or a token count. */
const MAX_PLAIN = 64 << 10;

/** Maximum milliseconds to wait for the body of an error. */
const EXPLANATION_MS = 5000;

/** Maximum milliseconds to wait for the end of the response after the end of the reply. */
const RESPONSE_END_MS = 1000;

/**
 * One request with its response. The request is aborted when the caller aborts or a time limit passes. The size of the
 * response is limited. `close` removes the timer and the listener, and aborts an unfinished response.
 */
export class Exchange {
	readonly #options: ExchangeOptions;
	readonly #controller = new AbortController();
	readonly #watchdog: Watchdog;
	/** First failure, which `explain` returns unless the caller has aborted. */
	#failure: ModelError | undefined;
	#status: number | undefined;
	#body: GuardedBody | undefined;

	constructor(options: ExchangeOptions) {
		this.#options = options;
		this.#watchdog = new Watchdog(options.clock, options.timeouts, (subject) => {
			this.#fail(new ModelError(`${options.host}: ${subject}`, { fault: "timeout" }));
			this.#abort();
		});
		options.signal.addEventListener("abort", this.#abort, { once: true });
		if (options.signal.aborted) this.#abort();
	}

	get facts(): RequestFacts {
		const { host, model, clock, keyName, keyed, api } = this.#options;
		return { host, model, now: clock.now(), keyName, keyed, api };
	}

	/** Returns the HTTP status of an error response, or undefined for other responses. */
	get status(): number | undefined {
		return this.#status;
	}

	/** Returns the options for a request with streaming: the answer is a stream of events. */
	get streaming(): Anthropic.RequestOptions {
		return this.#requestOptions((response) => this.#guarded(response));
	}

	/** Returns the options for a request without streaming: the answer is a small document. */
	get plain(): Anthropic.RequestOptions {
		// An empty text becomes a missing body, because some statuses do not allow a body.
		return this.#requestOptions(
			async (response) => new Response((await this.#text(response)) || null, response),
		);
	}

	/**
	 * Returns a fetch function for the only request of this exchange, for clients other than the Anthropic SDK. The
	 * function follows no redirects. `last` matches the text of a stream's last event. An error after the last event is
	 * treated as the end of the stream.
	 */
	fetching(send: typeof fetch, last?: RegExp): typeof fetch {
		return async (url, init) => {
			const request = { ...init, redirect: "manual", signal: this.#controller.signal } as const;
			const response = await send(url, request).catch((reason: unknown) => {
				throw this.#fail(connectionError(reason, this.facts));
			});
			return this.#admit(response, () => this.#guarded(response, last));
		};
	}

	/**
	 * Limits the wait for the end of the response after a complete reply. The only purpose of the wait is that the
	 * connection can be used again.
	 */
	finish(): void {
		this.#watchdog.limitRest(RESPONSE_END_MS);
	}

	/** Returns the error that ended the exchange. `reason`: the caught error, or undefined if the response ended early. */
	explain(reason?: unknown): ParleyError {
		if (this.#options.signal.aborted) {
			return new ParleyError(exchangeTexts.cancelled, { code: "cancelled", cause: reason });
		}
		if (this.#failure) return this.#failure;
		if (reason instanceof ParleyError) return reason;
		if (isEventError(reason)) return eventError(reason.error, reason.headers, this.facts);
		if (reason === undefined) return interrupted(exchangeTexts.incomplete);
		if (reason instanceof SyntaxError) return interrupted(exchangeTexts.notJson, reason);
		if (
			isFields(reason) &&
			/^AI_(?:JSONParse|TypeValidation|InvalidResponseData)Error$/.test(String(reason["name"]))
		)
			return interrupted(exchangeTexts.otherForm, reason);
		if (isFields(reason) && reason["name"] === "AnthropicError")
			return interrupted(exchangeTexts.empty, reason);
		return ParleyError.from(reason);
	}

	/** Stops the timer, and aborts the request unless its stream has ended. */
	close(): void {
		this.#watchdog.stop();
		this.#options.signal.removeEventListener("abort", this.#abort);
		// An abort after the end of the response is slow and has no effect.
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
				throw this.#fail(connectionError(reason, this.facts));
			});
			return this.#admit(response, accept);
		};
		return { signal: this.#controller.signal, middleware: [pass] };
	}

	async #admit(
		response: Response,
		accept: (response: Response) => Response | Promise<Response>,
	): Promise<Response> {
		this.#reportId(response.headers.get("request-id") ?? response.headers.get("x-request-id"));
		if (response.ok) return accept(response);
		throw await this.#refusal(response);
	}

	/**
	 * Reports the id from the header `request-id`. Ignores unusual ids, because other servers may send any text:
	 * https://platform.claude.com/docs/en/api/errors#request-id
	 */
	#reportId(id: string | null): void {
		if (id !== null && /^[\w-]{1,100}$/.test(id)) this.#options.answered?.(id);
	}

	async #refusal(response: Response): Promise<ModelError> {
		const { status, headers } = response;
		this.#status = status;
		this.#fail(statusError(status, headers, "", this.facts));
		this.#watchdog.limitRest(EXPLANATION_MS);
		// If the body cannot be read, the error describes only the status.
		const text = await this.#text(response).catch(() => "");
		this.#failure = statusError(status, headers, text, this.facts);
		return this.#failure;
	}

	/**
	 * Returns the response with limits for its body. Throws if the response is HTML or JSON instead of an event stream.
	 */
	#guarded(response: Response, last?: RegExp): Response {
		const type = response.headers.get("content-type") ?? "";
		// The response probably comes from a server with a different API, so a retry would not help.
		if (/^(?:text\/html|application\/json)\b/i.test(type)) {
			throw this.#fail(
				new ModelError(exchangeTexts.otherApi(this.#options.host, this.#options.api ?? "Messages API"), {
					fault: "rejected",
				}),
			);
		}
		if (response.body === null) return response;
		this.#body = new GuardedBody(response.body, this.#watchdog, last && repeatingLimits);
		const body = last ? this.#untilLast(this.#body, last) : this.#body;
		return new Response(ReadableStream.from(body), response);
	}

	/** Yields the chunks of the body. Treats an error after the last event as the normal end of the body. */
	async *#untilLast(body: GuardedBody, last: RegExp): AsyncGenerator<Uint8Array> {
		const seen = new LastEvent(last);
		try {
			for await (const chunk of body) {
				if (seen.inspect(chunk)) this.finish();
				yield chunk;
			}
		} catch (reason) {
			if (seen.isSeen) return;
			// The client library may replace the `ModelError` by its own error, so the exchange records the `ModelError`.
			throw reason instanceof ModelError ? this.#fail(reason) : reason;
		}
	}

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

function isEventError(reason: unknown): reason is { error: unknown; headers: Headers | undefined } {
	// The status is undefined because the response with the `error` event began with status 200.
	return isFields(reason) && reason["name"] === "APIError" && reason["status"] === undefined;
}

function interrupted(message: string, cause?: unknown): ModelError {
	return new ModelError(message, { fault: "interrupted", ...defined({ cause }) });
}

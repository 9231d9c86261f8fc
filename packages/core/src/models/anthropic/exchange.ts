import type { Anthropic, Middleware } from "@anthropic-ai/sdk";
import { type Clock, defined, ParleyError, type Timer } from "@parley/base";
import type { Answered } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { connectionError, eventError, isFields, type RequestFacts, statusError } from "./errors.ts";

export interface ExchangeOptions extends ExchangeCall {
	readonly host: string;
	readonly model: string;
	/** See `RequestFacts`. */
	readonly keyName: string | undefined;
	readonly keyed: boolean;
	readonly clock: Clock;
}

export interface ExchangeCall {
	readonly timeouts: Timeouts;
	readonly signal: AbortSignal;
	readonly answered?: Answered | undefined;
}

/** Bytes of an answer that is not a stream: an error, or a count. */
const MAX_PLAIN = 64 << 10;

/** How long the explanation of an error is waited for. */
const EXPLANATION_MS = 5000;

/** Maximum wait for the end of the response after the end of the reply. */
const FAREWELL_MS = 1000;

/**
 * One request with its response. It ends when the caller aborts or a time limit passes, limits the size, and has the reason
 * of a failure afterwards. After it is closed, no timer, listener or socket stays.
 */
export class Exchange {
	readonly #options: ExchangeOptions;
	readonly #controller = new AbortController();
	readonly #watchdog: Watchdog;
	/** The first failure. Later ones follow from it. */
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

	get facts(): RequestFacts {
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
		// An empty text is not sent as a body, because some statuses require that there is no body.
		return this.#requestOptions(
			async (response) => new Response((await this.#text(response)) || null, response),
		);
	}

	/** The reply is complete. Waits for the end of the response only so that the connection can be used again. */
	finish(): void {
		this.#watchdog.hurry(FAREWELL_MS);
	}

	/** Error of the exchange. `reason` is the caught error, or undefined if the response just ended. */
	explain(reason?: unknown): ParleyError {
		if (this.#options.signal.aborted) {
			return new ParleyError("the model call was cancelled", { code: "cancelled", cause: reason });
		}
		if (this.#failure) return this.#failure;
		if (reason instanceof ParleyError) return reason;
		if (isEventError(reason)) return eventError(reason.error, reason.headers, this.facts);
		if (reason === undefined) return interrupted("the answer ended before it was complete");
		if (reason instanceof SyntaxError)
			return interrupted("the answer was damaged on its way: it is not JSON", reason);
		if (isFields(reason) && reason["name"] === "AnthropicError")
			return interrupted("the answer was empty", reason);
		return ParleyError.from(reason);
	}

	/** Stops the timer, and aborts the exchange if it is open. */
	close(): void {
		this.#watchdog.stop();
		this.#options.signal.removeEventListener("abort", this.#abort);
		// An abort after the end has no effect and is slow.
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
			this.#reportId(response.headers.get("request-id"));
			if (response.ok) return accept(response);
			throw await this.#refusal(response);
		};
		return { signal: this.#controller.signal, middleware: [pass] };
	}

	/** https://platform.claude.com/docs/en/api/errors#request-id; other servers may send any text there. */
	#reportId(id: string | null): void {
		if (id !== null && /^[\w-]{1,100}$/.test(id)) this.#options.answered?.(id);
	}

	/** The status is enough for an error, with or without a body that explains it. */
	async #refusal(response: Response): Promise<ModelError> {
		const { status, headers } = response;
		this.#status = status;
		this.#fail(statusError(status, headers, "", this.facts));
		this.#watchdog.hurry(EXPLANATION_MS);
		const text = await this.#text(response).catch(() => "");
		this.#failure = statusError(status, headers, text, this.facts);
		return this.#failure;
	}

	/** The same response with a body that applies the limits of a stream. Throws if it is not an event stream. */
	#guarded(response: Response): Response {
		const type = response.headers.get("content-type") ?? "";
		// Probably a page of another server. A retry would get it again.
		if (/^(?:text\/html|application\/json)\b/i.test(type)) {
			throw this.#fail(
				new ModelError(`${this.#options.host} does not answer like a Messages API: check the base URL`, {
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

/** Error of the SDK for an `error` event. It has no status, because the response began with 200. */
function isEventError(reason: unknown): reason is { error: unknown; headers: Headers | undefined } {
	return isFields(reason) && reason["name"] === "APIError" && reason["status"] === undefined;
}

function interrupted(message: string, cause?: unknown): ModelError {
	return new ModelError(message, { fault: "interrupted", ...defined({ cause }) });
}

/** Maximum bytes of a response. */
interface BodyLimits {
	/** Maximum bytes of one server-sent event, and so of one line. */
	readonly event: number;
	readonly stream: number;
}

const bodyLimits: BodyLimits = { event: 1 << 20, stream: 64 << 20 };

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** The longest blank line is `\r\n\r\n`, of which three bytes may be at the end of the previous chunk. */
const MAX_SEAM = 3;

const nothing = Buffer.alloc(0);

/**
 * Bytes of a stream of server-sent events, unchanged. Fails as `interrupted` if an event or all of them exceed the limits.
 * Reports to the watchdog when it waits for bytes and when they arrive. It inspects chunks only, never each event.
 */
export class GuardedBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
	readonly #source: AsyncIterator<Uint8Array>;
	readonly #watchdog: Watchdog;
	readonly #limits: BodyLimits;
	#total = 0;
	/** Bytes since the last blank line. */
	#open = 0;
	#ended = false;
	/** The last bytes, as long as no event has ended in them. */
	#seam = nothing;

	constructor(source: AsyncIterable<Uint8Array>, watchdog: Watchdog, limits: BodyLimits = bodyLimits) {
		this.#source = source[Symbol.asyncIterator]();
		this.#watchdog = watchdog;
		this.#limits = limits;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Whether the body has ended completely. */
	get ended(): boolean {
		return this.#ended;
	}

	next(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.#watchdog.wait();
		return this.#source.next().then(this.#receive, broken);
	}

	async return(): Promise<IteratorResult<Uint8Array, undefined>> {
		await this.#source.return?.();
		return { done: true, value: undefined };
	}

	readonly #receive = (result: IteratorResult<Uint8Array>): IteratorResult<Uint8Array, undefined> => {
		if (result.done) {
			this.#ended = true;
			return { done: true, value: undefined };
		}
		this.#watchdog.arrive();
		this.#count(result.value);
		return result;
	};

	#count(chunk: Uint8Array): void {
		this.#total += chunk.length;
		if (this.#total > this.#limits.stream) throw tooLarge("the answer", this.#limits.stream);
		const { length } = chunk;
		if (length >= 2 && chunk[length - 1] === LINE_FEED && chunk[length - 2] === LINE_FEED) {
			this.#open = 0;
			this.#seam = nothing;
			return;
		}
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, length);
		const joined = Buffer.concat([this.#seam, bytes.subarray(0, MAX_SEAM)]);
		const end = endOfLastEvent(bytes);
		const endAtSeam = endOfLastEvent(joined) - this.#seam.length;
		if (end > 0) this.#open = length - end;
		else if (endAtSeam > 0) this.#open = length - endAtSeam;
		else this.#open += length;
		if (this.#open > this.#limits.event) throw tooLarge("an event of the answer", this.#limits.event);
		this.#seam = Buffer.concat([this.#seam, bytes.subarray(-MAX_SEAM)]).subarray(-MAX_SEAM);
	}
}

/** Index after the last blank line with any line ends, or 0. */
function endOfLastEvent(bytes: Buffer): number {
	for (let at = bytes.lastIndexOf(LINE_FEED); at > 0; at = bytes.lastIndexOf(LINE_FEED, at - 1)) {
		const before = bytes[at - 1];
		if (before === LINE_FEED || (before === CARRIAGE_RETURN && bytes[at - 2] === LINE_FEED)) return at + 1;
	}
	const bare = bytes.lastIndexOf("\r\r");
	return bare === -1 ? 0 : bare + 2;
}

function broken(cause: unknown): never {
	throw new ModelError("the connection was interrupted during the answer", {
		fault: "interrupted",
		cause,
	});
}

function tooLarge(what: string, limit: number): ModelError {
	const size = limit < 1 << 20 ? `${limit >> 10} KiB` : `${limit >> 20} MiB`;
	return new ModelError(`${what} is larger than ${size}`, { fault: "interrupted" });
}

export interface Timeouts {
	/** From the request to the first byte of the answer. */
	readonly firstByteMs: number;
	/** Between two bytes of it. */
	readonly idleMs: number;
	/** From the request to the end of the answer, however busy the provider is. */
	readonly totalMs: number;
}

/**
 * Ends an exchange that takes too long: `expire` is called once with the exceeded limit. Only time spent waiting for bytes
 * is treated as idle, so a slow consumer is not treated as a slow provider.
 */
export class Watchdog {
	readonly #clock: Clock;
	readonly #timeouts: Timeouts;
	readonly #expire: (what: string) => void;
	#end: number;
	/** Start of the wait for bytes. */
	#since: number | undefined;
	#answered = false;
	#timer: Timer | undefined;

	constructor(clock: Clock, timeouts: Timeouts, expire: (what: string) => void) {
		this.#clock = clock;
		this.#timeouts = timeouts;
		this.#expire = expire;
		this.#since = clock.monotonic();
		this.#end = this.#since + timeouts.totalMs;
		this.#arm();
	}

	/** Starts to wait for bytes. Cheap enough for each chunk. */
	wait(): void {
		this.#since ??= this.#clock.monotonic();
	}

	/** Ends the wait for bytes. */
	arrive(): void {
		this.#since = undefined;
		if (this.#answered) return;
		this.#answered = true;
		// The idle time may be shorter than the remaining time for the first byte.
		this.#arm();
	}

	/** Limits the remaining time. */
	hurry(ms: number): void {
		this.#end = Math.min(this.#end, this.#clock.monotonic() + ms);
		this.#arm();
	}

	/** Cancels the timer. */
	stop(): void {
		this.#timer?.cancel();
	}

	get #patience(): number {
		return this.#answered ? this.#timeouts.idleMs : this.#timeouts.firstByteMs;
	}

	/**
	 * One timer at a time. When it fires, it checks whether bytes arrived, because a new timer for each chunk would cost
	 * more.
	 */
	#arm(): void {
		this.#timer?.cancel();
		const now = this.#clock.monotonic();
		const due = Math.min(this.#end, (this.#since ?? now) + this.#patience);
		this.#timer = this.#clock.after(Math.max(0, due - now), () => this.#look());
	}

	#look(): void {
		const now = this.#clock.monotonic();
		if (now >= this.#end) this.#expire(`no end of the answer within ${seconds(this.#timeouts.totalMs)}`);
		else if (this.#since === undefined || now - this.#since < this.#patience) this.#arm();
		else if (this.#answered) this.#expire(`no more of the answer for ${seconds(this.#patience)}`);
		else this.#expire(`no answer within ${seconds(this.#patience)}`);
	}
}

function seconds(ms: number): string {
	return `${ms / 1000} s`;
}

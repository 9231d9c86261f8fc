import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Clock, defined, type Logger, ParleyError, parseJson } from "@parley/base";
import { readBounded } from "@parley/connector";
import * as z from "zod";
import { connectionTexts } from "../../texts/connection.ts";
import type { SlackReply } from "../../vocabulary/slack-port.ts";
import { SilenceWatch, type Suspicion } from "./silence-watch.ts";
import type { Deliver, Transport } from "./transport.ts";
import { forgery, forgeryInHead, ReplayMemory } from "./verify.ts";

/** Path of the app's request URL for events, commands and interactions. */
export const requestPath = "/slack/events";

/** Maximum concurrent signed requests. */
const maxAtOnce = 200;
const requestTimeoutMs = 10_000;
/** Minimum milliseconds between two warnings about invalid requests. */
const warnEveryMs = 60_000;
/** Milliseconds between two checks of Node for slow requests. */
const connectionsCheckingInterval = 5000;

export interface HttpTransportParts {
	readonly signingSecret: string;
	readonly listen: { readonly host: string; readonly port: number };
	readonly deliver: Deliver;
	/** Receives the port when the server listens. */
	readonly ready: (port: number) => void;
	/** Receives each suspicion that events from Slack are missing; see `Suspicion`. */
	readonly suspected: (suspicion: Suspicion) => void;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Milliseconds to wait for running requests. Slack does not wait longer for a response. */
const goodbyeMs = 3000;

/** Requests with which Slack verifies the endpoint. */
const Probe = z.object({
	type: z.unknown().optional(),
	challenge: z.unknown().optional(),
	ssl_check: z.unknown().optional(),
});

/** Placeholder for the socket of `SilenceWatch`. An HTTP endpoint cannot be replaced. */
const onlyLine = { leave: (): void => undefined };

interface Answer {
	readonly status: number;
	readonly body?: SlackReply;
}

/** Receives deliveries over HTTP. Unsigned and old requests are refused, and replayed requests have no further effect. */
export class HttpTransport implements Transport {
	readonly #parts: HttpTransportParts;
	readonly #server: Server;
	readonly #replays: ReplayMemory<Answer>;
	readonly #bodies: UnknownBodies;
	readonly #silence: SilenceWatch<typeof onlyLine>;
	#running = 0;
	#forged = 0;
	#warnAt = Number.NEGATIVE_INFINITY;

	constructor(parts: HttpTransportParts) {
		this.#parts = parts;
		this.#replays = new ReplayMemory(parts.clock);
		this.#bodies = new UnknownBodies(parts.clock);
		this.#silence = new SilenceWatch(parts.clock, new Set([onlyLine]), parts.suspected);
		this.#server = createServer(
			{ requestTimeout: requestTimeoutMs, connectionsCheckingInterval },
			(request, response) => void this.#serve(request, response),
		);
	}

	/**
	 * Starts the server. Resolves with its port when it listens. Rejects with `failed_precondition` if it cannot
	 * listen.
	 */
	async start(): Promise<number> {
		const { host, port } = this.#parts.listen;
		const listening = Promise.withResolvers<number>();
		this.#server.on("error", (cause: Error) => {
			// A server that listens emits an error for a connection that it cannot accept, and continues.
			if (this.#server.listening) {
				this.#parts.log.error("the server failed", { error: cause });
				return;
			}
			const reason = "code" in cause ? String(cause.code) : cause.message;
			const message = connectionTexts.cannotListen({ host, port, reason });
			this.#silence.stop();
			listening.reject(new ParleyError(message, { code: "failed_precondition", cause }));
		});
		this.#server.listen({ host, port }, () => {
			const address = this.#server.address();
			listening.resolve(typeof address === "object" && address !== null ? address.port : port);
		});
		const listensOn = await listening.promise;
		this.#parts.ready(listensOn);
		return listensOn;
	}

	/** Records a post for which Slack sends an event. */
	posted(): void {
		this.#silence.notePost();
	}

	/**
	 * Stops accepting connections, and resolves when the running requests are answered. After `goodbyeMs`, closes all
	 * connections.
	 */
	async close(): Promise<void> {
		this.#silence.stop();
		const closed = Promise.withResolvers<void>();
		this.#server.close(() => closed.resolve());
		const late = this.#parts.clock.after(goodbyeMs, () => this.#server.closeAllConnections());
		await closed.promise;
		late.cancel();
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			answer(response, await this.#answerTo(request));
		} catch (error) {
			this.#parts.log.warn("could not answer a request", { error });
			answer(response, { status: 503 });
		}
	}

	async #answerTo(request: IncomingMessage): Promise<Answer> {
		if (request.url?.split("?")[0] !== requestPath) return { status: 404 };
		if (request.method !== "POST") return { status: 405 };
		const signed = {
			signingSecret: this.#parts.signingSecret,
			now: this.#parts.clock.now(),
			signature: headerOf(request, "x-slack-signature"),
			timestamp: headerOf(request, "x-slack-request-timestamp"),
		};
		const unsigned = forgeryInHead(signed);
		if (unsigned !== undefined) return this.#refused(request, unsigned);
		const body = await this.#bodies.read(request).catch(ParleyError.from);
		if (body instanceof ParleyError) return { status: body.code === "resource_exhausted" ? 413 : 400 };
		const text = body.toString();
		const forged = forgery({ ...signed, body: text });
		if (forged !== undefined) return this.#refused(request, forged);
		this.#silence.noteEvent(onlyLine);
		const received = this.#replays.once(signed.signature ?? "", () => this.#receiveIfFree(request, text));
		return (await received) ?? { status: 503 };
	}

	#refused({ socket }: IncomingMessage, problem: string): Answer {
		const now = this.#parts.clock.monotonic();
		this.#forged += 1;
		if (now >= this.#warnAt) {
			const fields = { problem, from: socket.remoteAddress, count: this.#forged };
			this.#parts.log.warn("refused a request without a valid signature of Slack", fields);
			this.#warnAt = now + warnEveryMs;
			this.#forged = 0;
		}
		return { status: 401 };
	}

	async #receiveIfFree(request: IncomingMessage, text: string): Promise<Answer> {
		// `ReplayMemory` forgets a failed request, so Slack can send it again.
		if (this.#running >= maxAtOnce)
			throw new ParleyError(`cannot handle a request from Slack: ${maxAtOnce} requests are already running`, {
				code: "unavailable",
			});
		this.#running += 1;
		try {
			return await this.#receive(request, text);
		} finally {
			this.#running -= 1;
		}
	}

	async #receive(request: IncomingMessage, text: string): Promise<Answer> {
		const contentType = request.headers["content-type"] ?? "";
		let body: Readonly<Record<string, unknown>>;
		try {
			body = readBody(text, contentType);
		} catch (error) {
			this.#parts.log.warn("could not read a request of Slack", { error });
			return { status: 400 };
		}
		// Verification request: https://docs.slack.dev/reference/events/url_verification
		const { type, challenge, ssl_check: sslCheck } = Probe.parse(body);
		if (type === "url_verification") return { status: 200, body: { challenge } };
		if (sslCheck === "1") return { status: 200 };
		const attempt = Number(headerOf(request, "x-slack-retry-num") ?? 0);
		const reply = await this.#parts.deliver(body, Number.isSafeInteger(attempt) ? attempt : 0);
		return defined({ status: 200, body: reply });
	}
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
	const value = request.headers[name];
	return typeof value === "string" ? value : undefined;
}

function answer(response: ServerResponse, { status, body }: Answer): void {
	if (response.destroyed) return;
	const text = body === undefined ? "" : JSON.stringify(body);
	response.writeHead(status, {
		...defined({
			"content-type": text === "" ? undefined : "application/json; charset=utf-8",
			// The connection closes, so that the rest of the body is not read.
			connection: status === 413 || status === 401 ? "close" : undefined,
		}),
		"content-length": Buffer.byteLength(text),
	});
	response.end(text);
}

/** Limits for parsing a body. A press includes its message, in which a table may have thousands of values. */
const limits = { maxNodes: 200_000 };

/**
 * Parses the body of a request (https://docs.slack.dev/interactivity/handling-user-interaction#payloads):
 * - JSON for an event
 * - a form for a command
 * - a form with JSON in `payload` for an interaction
 *
 * Throws for JSON that is malformed or not an object.
 */
export function readBody(text: string, contentType: string): Readonly<Record<string, unknown>> {
	if (!contentType.startsWith("application/x-www-form-urlencoded")) return asObject(parseJson(text, limits));
	const form = new URLSearchParams(text);
	const payload = form.get("payload");
	return payload === null ? Object.fromEntries(form) : asObject(parseJson(payload, limits));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new ParleyError("invalid request body: it is not a JSON object", { code: "invalid_argument" });
	}
	return { ...value };
}

/** Maximum bytes of a body. Slack's bodies are far smaller. */
const maxBytes = 1024 * 1024;
/** Milliseconds after which Slack abandons a request. */
const timeoutMs = 3000;
/** Maximum concurrent bodies, each of up to `maxBytes`. */
const maxReading = 64;

/**
 * Reads bodies of unverified senders. If there are too many, drops the oldest request, so that slow senders cannot block
 * Slack.
 */
class UnknownBodies {
	readonly #clock: Clock;
	/** Requests, oldest first. */
	readonly #reading = new Set<IncomingMessage>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Reads a body. Rejects with `resource_exhausted` if it is too long. Also rejects if it is incomplete, late or dropped. */
	async read(request: IncomingMessage): Promise<Buffer> {
		for (const longest of this.#reading) {
			if (this.#reading.size < maxReading) break;
			this.#giveUp(longest, connectionTexts.tooManyBodies({ maximum: maxReading }));
		}
		this.#reading.add(request);
		const late = this.#clock.after(timeoutMs, () =>
			this.#giveUp(request, connectionTexts.lateBody({ seconds: timeoutMs / 1000 })),
		);
		try {
			return await readBounded(request, maxBytes, "the request");
		} finally {
			late.cancel();
			this.#reading.delete(request);
		}
	}

	#giveUp(request: IncomingMessage, message: string): void {
		this.#reading.delete(request);
		request.destroy(
			new ParleyError(message, {
				code: "deadline_exceeded",
			}),
		);
	}
}

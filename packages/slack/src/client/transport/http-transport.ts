import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Clock, defined, type Logger, ParleyError, parseJson } from "@parley/base";
import { readBounded } from "@parley/connector";
import * as z from "zod";
import type { SlackReply } from "../../vocabulary/slack-port.ts";
import { SilenceWatch, type Suspicion } from "./silence-watch.ts";
import type { Deliver, Transport } from "./transport.ts";
import { forgery, forgeryInHead, ReplayMemory } from "./verify.ts";

/** Where Slack is told to send everything: events, commands and interactions. */
export const requestPath = "/slack/events";

/** Of what Slack has signed. */
const mostAtOnce = 200;
/** For the head of a request, from a client that takes its time. */
const requestTimeoutMs = 10_000;
/** What is not Slack's is told of no more often. */
const warnEveryMs = 60_000;
/** How often Node looks for such. */
const connectionsCheckingInterval = 5000;

export interface HttpTransportParts {
	readonly signingSecret: string;
	readonly listen: { readonly host: string; readonly port: number };
	readonly deliver: Deliver;
	/** It listens on this port. */
	readonly ready: (port: number) => void;
	/** Slack, or what stands between it and us, may not reach us. */
	readonly suspected: (suspicion: Suspicion) => void;
	readonly clock: Clock;
	readonly log: Logger;
}

/** So long, what is being taken may take when it is time to end: Slack waits no longer. */
const goodbyeMs = 3000;

/** With what Slack looks whether somebody is there. */
const Probe = z.object({
	type: z.unknown().optional(),
	challenge: z.unknown().optional(),
	ssl_check: z.unknown().optional(),
});

/** Over HTTP there is nothing that could be replaced. */
const onlyLine = { leave: (): void => undefined };

interface Answer {
	readonly status: number;
	readonly body?: SlackReply;
}

/** Receives what Slack sends over HTTP. Nothing unsigned, old, or sent by somebody a second time gets past it. */
export class HttpTransport implements Transport {
	readonly #parts: HttpTransportParts;
	readonly #server: Server;
	readonly #replays: ReplayMemory<Answer>;
	readonly #bodies: UnknownBodies;
	readonly #deaf: SilenceWatch<typeof onlyLine>;
	#running = 0;
	#forged = 0;
	#warnAt = Number.NEGATIVE_INFINITY;

	constructor(parts: HttpTransportParts) {
		this.#parts = parts;
		this.#replays = new ReplayMemory(parts.clock);
		this.#bodies = new UnknownBodies(parts.clock);
		this.#deaf = new SilenceWatch(parts.clock, new Set([onlyLine]), parts.suspected);
		this.#server = createServer(
			{ requestTimeout: requestTimeoutMs, connectionsCheckingInterval },
			(request, response) => void this.#serve(request, response),
		);
	}

	/** The port it listens on. Rejects with `failed_precondition` where it cannot. */
	async start(): Promise<number> {
		const { host, port } = this.#parts.listen;
		const listening = Promise.withResolvers<number>();
		this.#server.once("error", (cause: Error) => {
			const message = `cannot listen on ${host}:${port}: ${cause.message}`;
			this.#deaf.stop();
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

	/** We have posted something of which Slack should tell. */
	posted(): void {
		this.#deaf.posted();
	}

	/** Resolves when the requests that are here are answered; what has not arrived whole by then is not waited for. */
	async close(): Promise<void> {
		this.#deaf.stop();
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
			this.#parts.log.warn("a request was not answered", { error });
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
		this.#deaf.heard(onlyLine);
		const taken = this.#replays.once(signed.signature ?? "", () => this.#takeIfRoom(request, text));
		return (await taken) ?? { status: 503 };
	}

	#refused({ socket }: IncomingMessage, problem: string): Answer {
		const now = this.#parts.clock.monotonic();
		this.#forged += 1;
		if (now >= this.#warnAt) {
			const fields = { problem, from: socket.remoteAddress, count: this.#forged };
			this.#parts.log.warn("a request that is not Slack's was refused", fields);
			this.#warnAt = now + warnEveryMs;
			this.#forged = 0;
		}
		return { status: 401 };
	}

	async #takeIfRoom(request: IncomingMessage, text: string): Promise<Answer> {
		// What rejects may be sent again.
		if (this.#running >= mostAtOnce) throw new ParleyError("too much comes at once", { code: "unavailable" });
		this.#running += 1;
		try {
			return await this.#take(request, text);
		} finally {
			this.#running -= 1;
		}
	}

	async #take(request: IncomingMessage, text: string): Promise<Answer> {
		const contentType = request.headers["content-type"] ?? "";
		let body: Readonly<Record<string, unknown>>;
		try {
			body = readBody(text, contentType);
		} catch (error) {
			this.#parts.log.warn("a request of Slack's could not be read", { error });
			return { status: 400 };
		}
		// https://docs.slack.dev/reference/events/url_verification
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
			// What has not been read must not be read for nothing.
			connection: status === 413 || status === 401 ? "close" : undefined,
		}),
		"content-length": Buffer.byteLength(text),
	});
	response.end(text);
}

/** A press comes with the message that it was made on, and a table in that has thousands of parts. */
const limits = { maxNodes: 200_000 };

/**
 * The body of a request of Slack's: events are JSON, commands are a form, and interactions are a form with JSON in its
 * `payload`: https://docs.slack.dev/interactivity/handling-user-interaction#payloads. Throws what is none of these.
 */
export function readBody(text: string, contentType: string): Readonly<Record<string, unknown>> {
	if (!contentType.startsWith("application/x-www-form-urlencoded")) return asObject(parseJson(text, limits));
	const form = new URLSearchParams(text);
	const payload = form.get("payload");
	return payload === null ? Object.fromEntries(form) : asObject(parseJson(payload, limits));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new ParleyError("the body is no object", { code: "invalid_argument" });
	}
	return { ...value };
}

/** Slack's own are far smaller. */
const mostBytes = 1024 * 1024;
/** Slack gives up by then. */
const timeoutMs = 3000;
/** As many of the longest may be in memory. */
const mostReading = 64;

/**
 * Reads bodies of which nobody knows yet who sends them. Where there are too many, that which takes longest is given up:
 * so whoever sends slowly, from however many addresses, does not keep Slack out.
 */
class UnknownBodies {
	readonly #clock: Clock;
	/** The one that was begun first is the first. */
	readonly #reading = new Set<IncomingMessage>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Rejects with `resource_exhausted` where it is too long, and otherwise where it does not come whole and in time. */
	async read(request: IncomingMessage): Promise<Buffer> {
		for (const longest of this.#reading) {
			if (this.#reading.size < mostReading) break;
			this.#giveUp(longest);
		}
		this.#reading.add(request);
		const late = this.#clock.after(timeoutMs, () => this.#giveUp(request));
		try {
			return await readBounded(request, mostBytes, "the request");
		} finally {
			late.cancel();
			this.#reading.delete(request);
		}
	}

	#giveUp(request: IncomingMessage): void {
		this.#reading.delete(request);
		request.destroy(new ParleyError("it takes too long", { code: "deadline_exceeded" }));
	}
}

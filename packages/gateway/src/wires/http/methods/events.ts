import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "@parley/core";
import type { StreamRefusal } from "../../../metrics/client-metrics.ts";
import { httpErrorTexts } from "../../../texts/wires/http.ts";
import { sharedErrorTexts } from "../../../texts/wires/shared.ts";
import { EventStream, type EventStreamDeps, type StreamFilter, type StreamOptions } from "../connection.ts";
import { errorAnswer } from "../error-code.ts";
import { sendJson } from "../reply.ts";
import { decodeEventsQuery, readLimit, readNumber, refused } from "../schema.ts";

/** Maximum number of streams, because one recorded event can wake all streams. */
const maxStreams = 128;

const draining = { status: 503, body: { error: "draining", hint: sharedErrorTexts.stoppingHint } };
const tooMany = {
	status: 503,
	headers: { "retry-after": "10" },
	body: { error: httpErrorTexts.tooManyStreams({ maxStreams }), hint: httpErrorTexts.tooManyStreamsHint },
};

export interface AuthenticatedRequest {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly principal: Principal;
}

/** Start of a stream. The first defined field applies. Without fields, the stream starts with the next event. */
interface Begin {
	readonly lastEventId: string | undefined;
	readonly afterSeq: number | undefined;
	readonly limit: number | undefined;
}

/** Whether the request is for the event stream instead of the list of events: RFC 9110, section 12.5.1. */
export function wantsStream({ method, headers }: IncomingMessage, { pathname }: URL): boolean {
	if (method !== "GET" || pathname !== "/api/events") return false;
	return (headers.accept ?? "").split(",").some((type) => /^\s*text\/event-stream\s*(?:;|$)/i.test(type));
}

/** Streams of server-sent events at `/api/events`. */
export class EventStreams {
	readonly wire = "events";
	readonly #deps: EventStreamDeps;
	readonly #streams = new Map<EventStream, Promise<void>>();
	#decoding = 0;
	#closed = false;

	constructor(deps: EventStreamDeps) {
		this.#deps = deps;
	}

	get clients(): number {
		return this.#streams.size;
	}

	get waitingBytes(): number {
		return this.#streams.keys().reduce((sum, stream) => sum + stream.waitingBytes, 0);
	}

	/** Answers with a stream or an error. Resolves when the answer has begun. */
	async serve({ request, response, url, principal }: AuthenticatedRequest): Promise<void> {
		if (this.#closed) return this.#refuse(response, "draining");
		if (this.#streams.size + this.#decoding >= maxStreams) return this.#refuse(response, "too_many");
		this.#decoding++;
		try {
			const options = await this.#decode(principal, url.searchParams, request.headers["last-event-id"]);
			if (this.#closed) return this.#refuse(response, "draining");
			this.#begin(response, options);
		} catch (reason) {
			sendJson(response, errorAnswer(reason));
		} finally {
			this.#decoding--;
		}
	}

	/** Ends all streams after their last event, and refuses later streams. */
	async close(): Promise<void> {
		this.#closed = true;
		for (const stream of this.#streams.keys()) stream.close();
		await Promise.all(this.#streams.values());
	}

	#refuse(response: ServerResponse, reason: StreamRefusal): void {
		this.#deps.counts?.refused(reason);
		sendJson(response, reason === "draining" ? draining : tooMany);
	}

	#begin(response: ServerResponse, options: StreamOptions): void {
		response.writeHead(200, {
			"content-type": "text/event-stream; charset=utf-8",
			// Clients need the id of the start position if they reconnect before their first event.
			"last-event-id": String(options.position),
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			// This header stops nginx from buffering: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
			"x-accel-buffering": "no",
		});
		const stream = new EventStream(response, options, this.#deps);
		const running = stream.run().finally(() => this.#streams.delete(stream));
		this.#streams.set(stream, running);
	}

	async #decode(
		principal: Principal,
		query: URLSearchParams,
		lastEventId: string | string[] | undefined,
	): Promise<StreamOptions> {
		const { afterSeq, ...filter } = decodeEventsQuery(query);
		const transient = query.get("transient") ?? "false";
		if (transient !== "true" && transient !== "false") {
			throw refused("transient", transient, httpErrorTexts.notBoolean);
		}
		const begin = { afterSeq, limit: readLimit(query, undefined), lastEventId: lastEventId?.toString() };
		const position = await this.#startPosition(principal, filter, begin);
		return { principal, filter, transient: transient === "true", position };
	}

	async #startPosition(
		principal: Principal,
		filter: StreamFilter,
		{ lastEventId, afterSeq, limit }: Begin,
	): Promise<number> {
		const { history } = this.#deps.runtime;
		const { sessionId } = filter;
		// Throws before the response begins if the client may not read the session.
		const behind = await history.place(
			principal,
			sessionId === undefined ? undefined : { sessionId, seq: afterSeq ?? 0 },
		);
		if (lastEventId !== undefined) {
			// The id can be above the position of the newest event, because events may have been deleted, or an older
			// backup restored.
			return Math.min(readNumber("last-event-id", lastEventId), await history.place(principal));
		}
		if (afterSeq !== undefined) return behind;
		const [first] = limit === undefined ? [] : await history.newest(principal, { ...filter, limit });
		return first ? (await history.place(principal, first)) - 1 : history.place(principal);
	}
}

import type { ServerResponse } from "node:http";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import type { PositionedEvent, Principal, Runtime, SessionEvent } from "@parley/core";
import type { StreamCounts } from "../../metrics/client-metrics.ts";
import { drained } from "../shared/drained.ts";
import { isWireEvent, type WirePassing, weightOf } from "../shared/wire-event.ts";
import { encodePassing, encodeRecorded } from "./codec.ts";

/** Milliseconds between two heartbeats. Proxies and clients may close a silent connection after a minute or less. */
const heartbeatMs = 15_000;
/** Milliseconds for a client to read the remaining events after `close`. Then the connection is destroyed. */
const closeMs = 2_000;
/** Maximum number of recorded events in one read of the journal. */
const pageSize = 50;
/** Number of waiting transient events above which a client is disconnected. */
const maxTransientEvents = 5_000;
/** Number of waiting transient events at which further minor events are dropped. */
const maxMinorEvents = 500;

/** Filter for the events of readable sessions. Without fields, all events match. */
export interface StreamFilter {
	readonly sessionId?: string;
	readonly types?: readonly string[];
}

export interface StreamOptions {
	readonly principal: Principal;
	readonly filter: StreamFilter;
	/** Journal position after which the stream starts. */
	readonly position: number;
	readonly transient: boolean;
}

export interface EventStreamDeps {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Logger;
	readonly counts?: StreamCounts;
}

/**
 * Event stream of one client. Recorded events are read from the journal, so they need no buffer for a slow client.
 * Transient events keep their order among the events of their session.
 */
export class EventStream {
	readonly #response: ServerResponse;
	readonly #options: StreamOptions;
	readonly #deps: EventStreamDeps;
	#position: number;
	/** Whether the journal may contain unread events. */
	#behind = true;
	#passing: WirePassing[] = [];
	#wake = Promise.withResolvers<void>();
	#state: "open" | "closing" | "gone" = "open";
	#tooSlow = false;
	#heartbeat: Timer | undefined;

	constructor(response: ServerResponse, options: StreamOptions, deps: EventStreamDeps) {
		this.#response = response;
		this.#options = options;
		this.#deps = deps;
		this.#position = options.position;
	}

	get waitingBytes(): number {
		return this.#response.writableLength;
	}

	/** Sends the events after `position` until the stream ends. Also resolves if an error ends the stream. */
	async run(): Promise<void> {
		const { runtime, log } = this.#deps;
		const response = this.#response;
		response.once("close", () => this.#markDisconnected());
		// The `close` event follows, and ends the stream.
		response.on("error", (error) => log.debug("the connection of an event stream failed", { error }));
		const stop = runtime.observe(this.#options.principal, (event) => this.#handle(event));
		try {
			response.write(`id: ${this.#position}\nretry: 1000\n\n`);
			this.#scheduleHeartbeat();
			while (this.#state === "open") {
				await this.#sendPending();
				if (this.#state === "open") await this.#wake.promise;
				this.#wake = Promise.withResolvers();
			}
			// The loop may have ended before it sent all events that were recorded before the close.
			if (this.#state === "closing") await this.#sendPending();
			response.end();
		} catch (error) {
			if (this.#state !== "gone") log.warn("an event stream failed", { error });
			response.destroy();
		} finally {
			stop();
			this.#heartbeat?.cancel();
			if (this.#tooSlow) this.#deps.counts?.lost(this.#passing.length);
		}
	}

	/**
	 * Sends the remaining events and ends the stream. Destroys the connection if the client does not read these events
	 * within `closeMs`.
	 */
	close(): void {
		if (this.#state !== "open") return;
		this.#state = "closing";
		const cut = this.#deps.clock.after(closeMs, () => this.#response.destroy());
		this.#response.once("close", () => cut.cancel());
		this.#wake.resolve();
	}

	#markDisconnected(): void {
		this.#state = "gone";
		this.#wake.resolve();
	}

	#handle(event: SessionEvent): void {
		if (!isWireEvent(event)) return;
		const { sessionId, types } = this.#options.filter;
		if (sessionId !== undefined && sessionId !== event.sessionId) return;
		const deleted = event.event.type === "session.deleted";
		if (!event.transient) {
			if (types && !types.includes(event.event.type)) return;
			this.#behind = true;
		} else if (deleted || (this.#options.transient && !types)) this.#pushPassing(event);
		else return;
		if (this.#passing.length > maxTransientEvents) this.#disconnectSlow();
		if (deleted && sessionId !== undefined) this.close();
		this.#wake.resolve();
	}

	#pushPassing(event: WirePassing): void {
		if (this.#passing.length >= maxMinorEvents && weightOf(event) === "minor") this.#deps.counts?.lost(1);
		else this.#passing.push(event);
	}

	async #sendPending(): Promise<void> {
		// The recorded events that precede these transient events are already in the journal. They are read below.
		const passing = this.#passing;
		this.#passing = [];
		while (this.#behind && this.#state !== "gone") {
			const page = await this.#nextPage();
			for (const { position, event } of page) {
				await this.#sendPassing(
					passing,
					({ sessionId, seq }) => sessionId === event.sessionId && seq < event.seq,
				);
				await this.#write(encodeRecorded(event), position);
				this.#position = position;
			}
		}
		await this.#sendPassing(passing, () => true);
	}

	async #nextPage(): Promise<PositionedEvent[]> {
		const { principal, filter } = this.#options;
		this.#behind = false;
		try {
			const from = { ...filter, limit: pageSize };
			const page = await this.#deps.runtime.history.from(principal, this.#position, from);
			if (page.length === pageSize) this.#behind = true;
			return page;
		} catch (reason) {
			// The session was deleted, or the client may no longer read it. A transient event reports a deletion.
			if (ParleyError.from(reason).code === "not_found") return [];
			throw reason;
		}
	}

	async #sendPassing(passing: WirePassing[], matches: (event: WirePassing) => boolean): Promise<void> {
		if (passing.length === 0) return;
		const others: WirePassing[] = [];
		for (const event of passing.splice(0)) {
			if (matches(event)) await this.#write(encodePassing(event));
			else others.push(event);
		}
		passing.push(...others);
	}

	/**
	 * Writes a server-sent event:
	 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
	 */
	async #write(event: { readonly type: string }, position?: number): Promise<void> {
		if (this.#state === "gone") {
			if (this.#tooSlow && position === undefined) this.#deps.counts?.lost(1);
			return;
		}
		const id = position === undefined ? "" : `id: ${position}\n`;
		const sent = this.#response.write(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
		if (!sent) await drained(this.#response, this.#deps.clock, () => this.#disconnectSlow());
	}

	#disconnectSlow(): void {
		if (this.#tooSlow) return;
		this.#tooSlow = true;
		const { counts, log } = this.#deps;
		counts?.slowReader();
		const logFields = { wire: "events", principal: this.#options.principal.id };
		log.warn("closing a client that reads too slowly", logFields);
		this.#response.destroy();
	}

	#scheduleHeartbeat(): void {
		this.#heartbeat = this.#deps.clock.after(heartbeatMs, () => {
			if (!this.#response.writableNeedDrain) this.#response.write(":\n\n");
			this.#scheduleHeartbeat();
		});
	}
}

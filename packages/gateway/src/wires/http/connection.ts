import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import type { EventFilter, Placed, Principal, Runtime, SessionEvent } from "@parley/core";
import type { StreamCounts } from "../../metrics/stream-counts.ts";
import { isWireEvent, type WirePassing, weightOf } from "../shared/event-json.ts";
import { encodePassing, encodeRecorded } from "./codec.ts";

/** Proxies and clients take a silent connection for a dead one after a minute or less. */
const heartbeatMs = 15_000;
/** A client that takes nothing for so long is let go; it can go on from where it was. */
const patienceMs = 30_000;
/** How long a client may take to take the rest. */
const closeMs = 2_000;
/** Recorded events that are read at once: each may have a megabyte. */
const pageSize = 50;
/** Passing events that wait for a slow client; they cannot be read again. */
const mostPassing = 5_000;
/** Passing events that may wait before minor ones are left out. */
const mostMinor = 500;

/** What a client wants to see. */
export interface StreamWish {
	readonly principal: Principal;
	readonly filter: Pick<EventFilter, "sessionId" | "types">;
	/** The place of the last event that it has seen. */
	readonly position: number;
	/** Whether it also wants what is not kept. */
	readonly transient: boolean;
}

export interface StreamDeps {
	readonly runtime: Pick<Runtime, "history" | "observe">;
	readonly clock: Clock;
	readonly log: Logger;
	readonly counts?: StreamCounts;
}

/**
 * One client of the event stream. What was recorded is read from the journal, woken by what happens: so it has an order
 * and a place to resume at, and a slow client needs no buffer. Of one session, what passes stands where it happened.
 */
export class EventStream {
	readonly #response: ServerResponse;
	readonly #wish: StreamWish;
	readonly #deps: StreamDeps;
	#position: number;
	/** Whether something was recorded that was not read yet. */
	#behind = true;
	#passing: WirePassing[] = [];
	#wake = Promise.withResolvers<void>();
	#state: "open" | "closing" | "gone" = "open";
	#tooSlow = false;
	#heartbeat: Timer | undefined;

	constructor(response: ServerResponse, wish: StreamWish, deps: StreamDeps) {
		this.#response = response;
		this.#wish = wish;
		this.#deps = deps;
		this.#position = wish.position;
	}

	/** Bytes that the client has not taken yet. */
	get waitingBytes(): number {
		return this.#response.writableLength;
	}

	/** Tells everything from the place on until the client goes, is too slow, or `close` is called. Never rejects. */
	async run(): Promise<void> {
		const { runtime, log } = this.#deps;
		const response = this.#response;
		response.once("close", () => this.#leave());
		// Told by its close as well.
		response.on("error", (error) => log.debug("a client of the event stream failed", { error }));
		const stop = runtime.observe(this.#wish.principal, (event) => this.#take(event));
		try {
			response.write(`id: ${this.#position}\nretry: 1000\n\n`);
			this.#beat();
			while (this.#state === "open") {
				await this.#pump();
				if (this.#state === "open") await this.#wake.promise;
				this.#wake = Promise.withResolvers();
			}
			// What was recorded until the end is told as well.
			if (this.#state === "closing") await this.#pump();
			response.end();
		} catch (error) {
			if (this.#state !== "gone") log.warn("an event stream broke off", { error });
			response.destroy();
		} finally {
			stop();
			this.#heartbeat?.cancel();
			if (this.#tooSlow) this.#deps.counts?.lost(this.#passing.length);
		}
	}

	/** Tells what there is and ends the stream; a client that does not take it is let go. */
	close(): void {
		if (this.#state !== "open") return;
		this.#state = "closing";
		const cut = this.#deps.clock.after(closeMs, () => this.#response.destroy());
		this.#response.once("close", () => cut.cancel());
		this.#wake.resolve();
	}

	#leave(): void {
		this.#state = "gone";
		this.#wake.resolve();
	}

	#take(event: SessionEvent): void {
		if (!isWireEvent(event)) return;
		const { sessionId, types } = this.#wish.filter;
		if (sessionId !== undefined && sessionId !== event.sessionId) return;
		const deleted = event.event.type === "session.deleted";
		if (!event.transient) {
			if (types && !types.includes(event.event.type)) return;
			this.#behind = true;
		} else if (deleted || (this.#wish.transient && !types)) this.#pushPassing(event);
		else return;
		if (this.#passing.length > mostPassing) this.#letGo();
		if (deleted && sessionId !== undefined) this.close();
		this.#wake.resolve();
	}

	#pushPassing(event: WirePassing): void {
		if (this.#passing.length >= mostMinor && weightOf(event) === "minor") this.#deps.counts?.lost(1);
		else this.#passing.push(event);
	}

	async #pump(): Promise<void> {
		// Whatever these came behind is recorded by now, and read below.
		const passing = this.#passing;
		this.#passing = [];
		while (this.#behind && this.#state !== "gone") {
			const page = await this.#nextPage();
			for (const { position, event } of page) {
				await this.#pass(passing, ({ sessionId, seq }) => sessionId === event.sessionId && seq < event.seq);
				await this.#write(encodeRecorded(event), position);
				this.#position = position;
			}
		}
		await this.#pass(passing, () => true);
	}

	async #nextPage(): Promise<Placed[]> {
		const { principal, filter } = this.#wish;
		this.#behind = false;
		try {
			const from = { ...filter, limit: pageSize };
			const page = await this.#deps.runtime.history.from(principal, this.#position, from);
			if (page.length === pageSize) this.#behind = true;
			return page;
		} catch (reason) {
			// The session was deleted, and its events with it: that is told by what passes.
			if (ParleyError.from(reason).code === "not_found") return [];
			throw reason;
		}
	}

	/** Tells those that are meant, in their order, and takes them out. */
	async #pass(passing: WirePassing[], meant: (event: WirePassing) => boolean): Promise<void> {
		if (passing.length === 0) return;
		const others: WirePassing[] = [];
		for (const event of passing.splice(0)) {
			if (meant(event)) await this.#write(encodePassing(event));
			else others.push(event);
		}
		passing.push(...others);
	}

	/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
	async #write(event: { readonly type: string }, position?: number): Promise<void> {
		if (this.#state === "gone") {
			if (this.#tooSlow && position === undefined) this.#deps.counts?.lost(1);
			return;
		}
		const id = position === undefined ? "" : `id: ${position}\n`;
		const sent = this.#response.write(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
		if (!sent) await this.#drained();
	}

	async #drained(): Promise<void> {
		const response = this.#response;
		const slow = this.#deps.clock.after(patienceMs, () => this.#letGo());
		const done = new AbortController();
		const { signal } = done;
		await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
		done.abort();
		slow.cancel();
	}

	/** The client can come back for all that is kept. */
	#letGo(): void {
		if (this.#tooSlow) return;
		this.#tooSlow = true;
		const { counts, log } = this.#deps;
		counts?.slowReader();
		const who = { wire: "events", principal: this.#wish.principal.id };
		log.warn("a client reads too slowly and is closed", who);
		this.#response.destroy();
	}

	#beat(): void {
		this.#heartbeat = this.#deps.clock.after(heartbeatMs, () => {
			if (!this.#response.writableNeedDrain) this.#response.write(":\n\n");
			this.#beat();
		});
	}
}

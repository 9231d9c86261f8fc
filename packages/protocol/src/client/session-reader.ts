import { ParleyError } from "@parley/base/portable";
import { isOzzieEvent } from "../events.ts";
import type { EventFrame } from "../frame.ts";
import type { MethodResult } from "../methods.ts";
import { EventQueue } from "./event-queue.ts";

/** A session that the client reads. */
export interface OpenSession {
	readonly id: string;
	readonly status: "created" | "resumed";
	/**
	 * Last seq of the session when the session was opened. Persisted frames with a seq of at most `lastSeq` are history.
	 */
	readonly lastSeq: number;
	/**
	 * Returns the frames of the session in order. Each persisted frame is returned once, without gaps, even after
	 * reconnects. After a reconnect, a text that is being streamed restarts with `start`. Can be called once. If the
	 * caller leaves the loop, `close` is called. The iterator throws if the client can no longer read the session.
	 */
	events(): AsyncIterable<EventFrame>;
	/** Ends `events()`, and the client no longer reads the session. The session continues on the gateway. */
	close(): void;
}

const maxQueued = 10_000;

export interface ReaderOptions {
	readonly opened: MethodResult<"open_session">;
	/** Last seq that the caller already has. */
	readonly after: number;
	onClose(): void;
	/** Resumes the session after a slow reader has read all frames. */
	onCaughtUp(): void;
}

/**
 * Result for a received frame. `full`: the reader is too slow, so the frame and all later frames are dropped until the
 * session is resumed.
 */
export type ReceiveResult = "kept" | "ignored" | "gap" | "full";

/** Reader of one session. Stores the client's position in the frames of the session, and the unread frames. */
export class SessionReader implements OpenSession {
	readonly id: string;
	readonly status: "created" | "resumed";
	readonly lastSeq: number;
	readonly #options: ReaderOptions;
	readonly #cursor: Cursor;
	readonly #queue: EventQueue<EventFrame>;
	#isBehind = false;
	#isRead = false;

	constructor(options: ReaderOptions) {
		this.id = options.opened.session_id;
		this.status = options.opened.status;
		this.lastSeq = options.opened.last_seq;
		this.#options = options;
		this.#cursor = new Cursor(options.after);
		this.#queue = new EventQueue(maxQueued, () => this.#caughtUp());
	}

	/** Returns the seq after which the session is resumed. */
	get after(): number {
		return this.#cursor.last;
	}

	/** Whether frames were dropped. The session is resumed when the caller has read all queued frames. */
	get isBehind(): boolean {
		return this.#isBehind;
	}

	receive(frame: EventFrame): ReceiveResult {
		if (this.#isBehind) return "ignored";
		if (this.#queue.isFull) {
			this.#isBehind = true;
			return "full";
		}
		const verdict = this.#cursor.advance(frame);
		if (verdict !== "new") return verdict === "gap" ? "gap" : "ignored";
		this.#queue.push(frame);
		return "kept";
	}

	fail(error: ParleyError): void {
		this.#queue.fail(error);
	}

	events(): AsyncIterable<EventFrame> {
		if (this.#isRead) {
			throw new ParleyError(
				`another reader already reads the events of session ${this.id}: use that reader`,
				{
					code: "failed_precondition",
				},
			);
		}
		this.#isRead = true;
		return this.#read();
	}

	close(): void {
		this.#queue.end();
		this.#options.onClose();
	}

	#read(): AsyncIterableIterator<EventFrame, undefined> {
		let isOver = false;
		const end = (): { readonly done: true; readonly value: undefined } => {
			isOver = true;
			this.close();
			return { done: true, value: undefined };
		};
		// The iterator is not a generator, because a generator would need several more promises for each frame.
		const iterator: AsyncIterableIterator<EventFrame, undefined> = {
			next: async () => {
				if (isOver) return end();
				try {
					const frame = await this.#queue.next();
					return frame === undefined ? end() : { done: false, value: frame };
				} catch (error) {
					end();
					throw error;
				}
			},
			return: async () => end(),
			[Symbol.asyncIterator]: () => iterator,
		};
		return iterator;
	}

	#caughtUp(): void {
		if (!this.#isBehind) return;
		this.#isBehind = false;
		this.#options.onCaughtUp();
	}
}

/** Class of a frame. `gap`: an earlier frame is missing, so the frame must not be delivered. */
type Verdict = "new" | "repeat" | "gap";

/**
 * Position in a session up to which all persisted frames were received, across connections. When a client joins, the
 * gateway repeats the open prompts, as transient frames or with their old seq. The cursor classifies each prompt as new
 * only once.
 */
export class Cursor {
	readonly #start: number;
	readonly #openPrompts = new Set<string>();
	#last: number;

	constructor(start: number) {
		this.#start = start;
		this.#last = start;
	}

	/** Returns the seq of the last received persisted frame, or the seq of the start. */
	get last(): number {
		return this.#last;
	}

	/** Classifies a frame. A new persisted frame advances the position. */
	advance(frame: EventFrame): Verdict {
		const verdict = this.#judge(frame);
		if (verdict !== "new") return verdict;
		if (!frame.transient && frame.seq > this.#last) this.#last = frame.seq;
		this.#followPrompt(frame);
		return "new";
	}

	#judge(frame: EventFrame): Verdict {
		if (frame.seq > this.#last && !frame.transient) return frame.seq === this.#last + 1 ? "new" : "gap";
		const prompt = frame.event === "prompt.request" ? promptToken(frame) : undefined;
		if (prompt === undefined) return frame.transient ? "new" : "repeat";
		const received = frame.seq > this.#start && !frame.transient;
		return received || this.#openPrompts.has(prompt) ? "repeat" : "new";
	}

	#followPrompt(frame: EventFrame): void {
		const prompt = promptToken(frame);
		if (prompt === undefined) return;
		if (frame.event === "prompt.request") this.#openPrompts.add(prompt);
		else this.#openPrompts.delete(prompt);
	}
}

function promptToken(frame: EventFrame): string | undefined {
	if (!frame.event.startsWith("prompt.") || !isOzzieEvent(frame)) return undefined;
	return "token" in frame.payload ? frame.payload.token : undefined;
}

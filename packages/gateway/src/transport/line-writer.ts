import type { Writable } from "node:stream";
import type { Clock, Timer } from "@parley/base";

/** Maximum milliseconds for which a reader may leave lines unread. */
const patienceMs = 30_000;
/** Maximum number of characters that may wait for the reader. */
const maxWaiting = 64 * 1024 * 1024;
/**
 * Maximum number of bytes in one part. Longer text is split into parts. Each written part restarts the time limit, so
 * a slow reader is not treated as disconnected.
 */
const partBytes = 16 * 1024;

/** Number of characters above which text does not wait for the end of the tick, so that the reader can begin. */
const large = 1024 * 1024;

/** Number of lines in one tick at which the lines are treated as a stream, for example of a fast reply. */
const streamLines = 4;
/**
 * Maximum number of event-loop turns in which lines wait for the same write. Lines share a write because a write
 * takes longer than the creation of the lines.
 */
const streamTurns = 32;
/** Maximum milliseconds for which the lines of several turns wait for the same write. */
const streamMs = 2;

export interface LineWriterOptions {
	readonly output: Writable;
	readonly clock: Clock;
	/**
	 * Reports once that the reader has disconnected, does not read for 30 s, or leaves too many characters unread.
	 * Later writes are ignored.
	 */
	readonly onUnread: () => void;
}

/**
 * Writes lines to one reader. All lines of a tick share one write. If many lines arrive in each tick, the lines of
 * several turns of the event loop share one write.
 */
export class LineWriter {
	readonly #output: Writable;
	readonly #clock: Clock;
	readonly #onUnread: () => void;
	#lines: string[] = [];
	#length = 0;
	#wasStream = false;
	#waitedTurns = 0;
	#linesAfterTurn = 0;
	/** Latest time for the write, in the clock's monotonic milliseconds. */
	#until = 0;
	/** Unwritten part of a long text. */
	#rest: Buffer | undefined;
	#isWriteScheduled = false;
	#blocked: Timer | undefined;
	#ended = false;
	/** Number of parts that the output has not written yet. */
	#inFlight = 0;
	#lost = false;
	#waiters: (() => void)[] = [];

	constructor({ output, clock, onUnread }: LineWriterOptions) {
		this.#output = output;
		this.#clock = clock;
		this.#onUnread = onUnread;
		output.on("drain", () => this.#drained());
		output.on("error", () => this.#leave());
		output.on("close", () => this.#leave());
	}

	/** Whether lines were unwritten when the reader disconnected or stopped reading. */
	get lost(): boolean {
		return this.#lost;
	}

	/** Whether the caller should stop producing lines, because the buffer of the output is full. */
	get full(): boolean {
		return this.#blocked !== undefined;
	}

	/** Writes a line. `line` has no line break at its end. */
	write(line: string): void {
		if (this.#ended) return;
		if (!this.#blocked && !this.#isWriteScheduled) this.#settle();
		this.#add(line);
	}

	#add(line: string): void {
		this.#length += line.length + 1;
		this.#lines.push(line);
		if (this.#length > large) this.flush();
		if (this.#length > maxWaiting) this.#leave();
	}

	/** Writes all waiting lines now. While the buffer of the output is full, does nothing. */
	flush(): void {
		if (this.#blocked) return;
		this.#waitedTurns = 0;
		for (let part = this.#next(); part !== undefined; part = this.#next()) {
			this.#inFlight += 1;
			if (this.#output.write(part, (error) => this.#written(error))) continue;
			this.#wait();
			return;
		}
	}

	/** Resolves when the output accepts further lines, or when the reader has disconnected. */
	drained(): Promise<void> {
		if (!this.#blocked || this.#ended) return Promise.resolve();
		return new Promise((resolve) => this.#waiters.push(resolve));
	}

	/**
	 * Resolves with true when all lines are written, or with false if lines are left when the reader disconnects or stops
	 * reading.
	 */
	async end(): Promise<boolean> {
		this.flush();
		await this.drained();
		if (this.#ended) return !this.#lost;
		// The buffer of the stream may also wait for the reader.
		const patience = this.#clock.after(patienceMs, () => this.#leave());
		await new Promise<void>((resolve) => {
			this.#waiters.push(resolve);
			this.#output.write("", () => resolve());
		});
		patience.cancel();
		return !this.#lost;
	}

	/**
	 * Schedules the write of the lines of the current tick. Requests that the tick makes, for example to a model, are
	 * sent before the write. Lines about commits in the tick are included in the write.
	 */
	#settle(): void {
		this.#isWriteScheduled = true;
		setImmediate(setImmediate, this.#leaveTick);
	}

	readonly #leaveTick = (): void => {
		const streams = this.#lines.length >= streamLines;
		if (streams && this.#wasStream && this.#length < partBytes && this.#mayWait()) {
			setImmediate(this.#leaveTick);
			return;
		}
		this.#wasStream = streams;
		this.#isWriteScheduled = false;
		this.flush();
	};

	#mayWait(): boolean {
		const now = this.#clock.monotonic();
		if (this.#waitedTurns === 0) this.#until = now + streamMs;
		else if (
			this.#lines.length === this.#linesAfterTurn ||
			this.#waitedTurns >= streamTurns ||
			now >= this.#until
		)
			return false;
		this.#waitedTurns += 1;
		this.#linesAfterTurn = this.#lines.length;
		return true;
	}

	#next(): Buffer | string | undefined {
		if (this.#ended) return undefined;
		if (this.#rest === undefined) {
			if (this.#lines.length === 0) return undefined;
			const text = `${this.#lines.join("\n")}\n`;
			this.#lines = [];
			this.#length = 0;
			if (text.length <= partBytes) return text;
			this.#rest = Buffer.from(text);
		}
		const part = this.#rest.subarray(0, partBytes);
		this.#rest = part.length < this.#rest.length ? this.#rest.subarray(partBytes) : undefined;
		return part;
	}

	#wait(): void {
		this.#blocked?.cancel();
		this.#blocked = this.#clock.after(patienceMs, () => this.#leave());
	}

	#written(error: Error | null | undefined): void {
		if (error) return;
		this.#inFlight -= 1;
		// Each written part restarts the time limit of a slow reader.
		if (this.#blocked && !this.#ended) this.#wait();
	}

	#drained(): void {
		this.#blocked?.cancel();
		this.#blocked = undefined;
		this.flush();
		if (!this.#blocked) this.#release();
	}

	#leave(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#lost = this.#inFlight > 0 || this.#lines.length > 0 || this.#rest !== undefined;
		this.#blocked?.cancel();
		this.#lines = [];
		this.#rest = undefined;
		this.#onUnread();
		this.#release();
	}

	#release(): void {
		const waiters = this.#waiters;
		this.#waiters = [];
		for (const resolve of waiters) resolve();
	}
}

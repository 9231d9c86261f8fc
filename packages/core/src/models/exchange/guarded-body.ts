import { ModelError } from "../../vocabulary/model-error.ts";
import { exactSizeOf } from "../../vocabulary/stored-file.ts";
import { exchangeTexts } from "./texts.ts";
import type { Watchdog } from "./watchdog.ts";

/** Limits of a body, in bytes. */
interface BodyLimits {
	/** Maximum bytes of one server-sent event. A line cannot be longer. */
	readonly event: number;
	readonly stream: number;
}

const bodyLimits: BodyLimits = { event: 1 << 20, stream: 64 << 20 };

/** Limits for an API that repeats a complete call or a complete reply in one event. */
export const repeatingLimits: BodyLimits = { event: 8 << 20, stream: 64 << 20 };

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Maximum bytes of a blank line in the previous chunk, if the blank line ends in the next chunk. The longest blank line
 * is `\r
 * \r
 * `.
 */
const MAX_BOUNDARY = 3;

const nothing = Buffer.alloc(0);

/**
 * Passes on the bytes of a stream of server-sent events unchanged. Fails as `interrupted` if the source fails, if the
 * stream is longer than `limits.stream`, or if an unfinished event is longer than `limits.event`. Reports the start of
 * each wait for bytes, and the arrival of bytes, to the watchdog.
 */
export class GuardedBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
	readonly #source: AsyncIterator<Uint8Array>;
	readonly #watchdog: Watchdog;
	readonly #limits: BodyLimits;
	#total = 0;
	/** Number of bytes since the last blank line. */
	#open = 0;
	#ended = false;
	/** The last bytes before the next chunk, in which a blank line may begin. */
	#boundary = nothing;

	constructor(source: AsyncIterable<Uint8Array>, watchdog: Watchdog, limits: BodyLimits = bodyLimits) {
		this.#source = source[Symbol.asyncIterator]();
		this.#watchdog = watchdog;
		this.#limits = limits;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Whether the body has ended normally. */
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
		if (this.#total > this.#limits.stream) throw tooLarge(exchangeTexts.answer, this.#limits.stream);
		const { length } = chunk;
		if (length >= 2 && chunk[length - 1] === LINE_FEED && chunk[length - 2] === LINE_FEED) {
			this.#open = 0;
			this.#boundary = nothing;
			return;
		}
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, length);
		const joined = Buffer.concat([this.#boundary, bytes.subarray(0, MAX_BOUNDARY)]);
		const end = endOfLastEvent(bytes);
		const endAtBoundary = endOfLastEvent(joined) - this.#boundary.length;
		if (end > 0) this.#open = length - end;
		else if (endAtBoundary > 0) this.#open = length - endAtBoundary;
		else this.#open += length;
		if (this.#open > this.#limits.event) throw tooLarge(exchangeTexts.event, this.#limits.event);
		this.#boundary = Buffer.concat([this.#boundary, bytes.subarray(-MAX_BOUNDARY)]).subarray(-MAX_BOUNDARY);
	}
}

/** Returns the index after the last blank line, or 0. */
function endOfLastEvent(bytes: Buffer): number {
	for (let at = bytes.lastIndexOf(LINE_FEED); at > 0; at = bytes.lastIndexOf(LINE_FEED, at - 1)) {
		const before = bytes[at - 1];
		if (before === LINE_FEED || (before === CARRIAGE_RETURN && bytes[at - 2] === LINE_FEED)) return at + 1;
	}
	const bare = bytes.lastIndexOf("\r\r");
	return bare === -1 ? 0 : bare + 2;
}

function broken(cause: unknown): never {
	throw new ModelError(exchangeTexts.interrupted, {
		fault: "interrupted",
		cause,
	});
}

function tooLarge(subject: string, limit: number): ModelError {
	return new ModelError(exchangeTexts.tooLarge(subject, exactSizeOf(limit)), { fault: "interrupted" });
}

/** Maximum characters at the end of the earlier chunks in which a match may begin. */
const MAX_OVERLAP = 200;

/** Finds the last event of a stream in its chunks. */
export class LastEvent {
	readonly #pattern: RegExp;
	#before = "";
	#isSeen = false;

	constructor(pattern: RegExp) {
		this.#pattern = pattern;
	}

	get isSeen(): boolean {
		return this.#isSeen;
	}

	/** Whether `chunk` is the first chunk that completes the event. */
	inspect(chunk: Uint8Array): boolean {
		if (this.#isSeen) return false;
		const text = this.#before + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
		this.#isSeen = this.#pattern.test(text);
		this.#before = text.slice(-MAX_OVERLAP);
		return this.#isSeen;
	}
}

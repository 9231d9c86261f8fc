import { ModelError } from "../../vocabulary/model-error.ts";
import type { Watchdog } from "./watchdog.ts";

/** How much of an answer is taken, in bytes. */
interface BodyLimits {
	/** Of one server-sent event, and so of one line. */
	readonly event: number;
	readonly stream: number;
}

const bodyLimits: BodyLimits = { event: 1 << 20, stream: 64 << 20 };

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** The longest blank line is `\r\n\r\n`: so many bytes of it may stand at the end of the chunk before. */
const MAX_SEAM = 3;

const nothing = Buffer.alloc(0);

/**
 * The bytes of a stream of server-sent events as they come, unchanged. Fails as `interrupted` where an event, or all
 * of them, are larger than the limits, and tells the watchdog when bytes are waited for and when they come. Looks at
 * chunks only, never at each event.
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

	/** Whether it has come to its end: nothing of it is under way. */
	get ended(): boolean {
		return this.#ended;
	}

	next(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.#watchdog.wait();
		return this.#source.next().then(this.#take, broken);
	}

	async return(): Promise<IteratorResult<Uint8Array, undefined>> {
		await this.#source.return?.();
		return { done: true, value: undefined };
	}

	readonly #take = (result: IteratorResult<Uint8Array>): IteratorResult<Uint8Array, undefined> => {
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

/** The index behind the last blank line, whatever its line endings are; 0 where there is none. */
function endOfLastEvent(bytes: Buffer): number {
	for (let at = bytes.lastIndexOf(LINE_FEED); at > 0; at = bytes.lastIndexOf(LINE_FEED, at - 1)) {
		const before = bytes[at - 1];
		if (before === LINE_FEED || (before === CARRIAGE_RETURN && bytes[at - 2] === LINE_FEED)) return at + 1;
	}
	const bare = bytes.lastIndexOf("\r\r");
	return bare === -1 ? 0 : bare + 2;
}

function broken(cause: unknown): never {
	throw new ModelError("the connection broke off in the middle of the answer", {
		fault: "interrupted",
		cause,
	});
}

function tooLarge(what: string, limit: number): ModelError {
	const size = limit < 1 << 20 ? `${limit >> 10} KiB` : `${limit >> 20} MiB`;
	return new ModelError(`${what} is larger than ${size}`, { fault: "interrupted" });
}

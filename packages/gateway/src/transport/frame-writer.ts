import type { Duplex } from "node:stream";
import type { Clock, Timer } from "@parley/base";
import type { Holder, OutgoingAccount } from "./outgoing-account.ts";
import { type ReaderBudget, readerBudget, readerPatienceMs } from "./reader-budget.ts";

/** Number of bytes in the buffer of the socket above which further frames wait in the writer. */
const socketShare = 256 * 1024;

/** Number of collected bytes at which a replay writes its frames, so that few system calls are necessary. */
const replayChunk = 64 * 1024;
/** Number of collected frames at which a replay writes them. */
const replayFrames = 256;

export interface FrameWriterOptions {
	readonly socket: Duplex;
	readonly batch: WriteBatch;
	readonly clock: Clock;
	readonly budget?: ReaderBudget;
	/** Account that counts the waiting bytes of all readers. */
	readonly account: OutgoingAccount;
	/** Reports each minor or droppable frame that is dropped because of the budget. */
	readonly onDropped?: () => void;
	/**
	 * Reports once that the reader is too slow. The caller must close the connection. The reader can reconnect and
	 * resume.
	 */
	readonly onOverflow: () => void;
}

/** Share of the budget above which minor frames are dropped. */
const minorShare = 1 / 8;

/** Priority of a frame. `minor` frames are dropped above an eighth of the budget, and `droppable` frames above the budget. */
export type FrameWeight = "required" | "droppable" | "minor";

/**
 * Writes complete frames to one socket, all frames of a tick in one write. A slow reader first loses minor frames,
 * and above its budget also droppable frames. If the reader is still above its budget after `readerPatienceMs`, or
 * reaches twice the budget, `onOverflow` is called once, and all waiting frames are dropped.
 */
export class FrameWriter implements Flushable, Holder {
	readonly #options: FrameWriterOptions;
	readonly #budget: ReaderBudget;
	#frames: Buffer[] = [];
	#bytes = 0;
	#marked = false;
	#blocked = false;
	#ended = false;
	#deadline: Timer | undefined;
	#waiters: (() => void)[] = [];

	constructor(options: FrameWriterOptions) {
		this.#options = options;
		this.#budget = options.budget ?? readerBudget;
		options.socket.on("drain", () => this.#drained());
	}

	write(frame: Buffer, weight: FrameWeight): void {
		if (this.#ended) return;
		if (weight !== "required" && this.#isOver(weight === "minor" ? minorShare : 1)) {
			this.#options.onDropped?.();
			return;
		}
		this.#frames.push(frame);
		this.#bytes += frame.length;
		if (this.#isOver()) this.#warn();
		if (this.#blocked) this.#count();
		if (this.#marked || this.#blocked) return;
		this.#marked = true;
		this.#options.batch.add(this);
	}

	/** Writes the waiting frames, unless the socket is full. The batch calls this method at most once in each tick. */
	flush(): void {
		this.#marked = false;
		if (this.#ended || this.#blocked || this.#frames.length === 0) return;
		const { socket } = this.#options;
		const [only] = this.#frames;
		const joined = this.#frames.length === 1 && only ? only : Buffer.concat(this.#frames, this.#bytes);
		this.#frames = [];
		this.#bytes = 0;
		const written = socket.write(joined);
		this.#blocked = socket.writableLength > socketShare;
		// If the socket contains fewer bytes than its own limit, it emits no event when it becomes empty. These few bytes
		// are therefore not counted.
		if (!written) this.#count();
	}

	giveUp(): void {
		this.#overflow();
	}

	/**
	 * Resolves when a replay may continue: immediately if few frames and bytes wait. Otherwise, writes the waiting
	 * frames, and resolves in a later tick, so that other work can run. If the socket is full, resolves when the socket
	 * has drained or the reader has disconnected.
	 */
	drained(): Promise<void> {
		const few = this.#frames.length < Math.min(replayFrames, this.#budget.frames / 4);
		if (few && this.#bytes < replayChunk && !this.#blocked) return Promise.resolve();
		this.flush();
		return new Promise((resolve) => {
			if (this.#blocked && !this.#ended) this.#waiters.push(resolve);
			else setImmediate(resolve);
		});
	}

	/**
	 * Writes all waiting frames to the socket immediately, and ends the writer. Call it before the close frame is sent.
	 */
	finish(): void {
		this.#blocked = false;
		this.flush();
		this.end();
	}

	/** Ends the writer, because the socket is closed or closing. Later writes are ignored. */
	end(): void {
		this.#ended = true;
		this.#deadline?.cancel();
		this.#frames = [];
		this.#bytes = 0;
		this.#options.account.set(this, 0);
		this.#release();
	}

	#drained(): void {
		if (this.#ended) return;
		this.#blocked = false;
		this.#options.account.set(this, 0);
		this.flush();
		if (this.#blocked) return;
		this.#deadline?.cancel();
		this.#deadline = undefined;
		this.#release();
	}

	#count(): void {
		this.#options.account.set(this, this.#waitingBytes());
	}

	#isOver(share = 1): boolean {
		const { frames, bytes } = this.#budget;
		return this.#frames.length >= share * frames || this.#waitingBytes() >= share * bytes;
	}

	#waitingBytes(): number {
		return this.#bytes + this.#options.socket.writableLength;
	}

	#warn(): void {
		if (this.#frames.length >= 2 * this.#budget.frames || this.#waitingBytes() >= 2 * this.#budget.bytes) {
			this.#overflow();
			return;
		}
		this.#deadline ??= this.#options.clock.after(readerPatienceMs, () => {
			this.#deadline = undefined;
			if (this.#isOver()) this.#overflow();
		});
	}

	#overflow(): void {
		if (this.#ended) return;
		this.end();
		this.#options.onOverflow();
	}

	#release(): void {
		const waiters = this.#waiters;
		this.#waiters = [];
		for (const resolve of waiters) resolve();
	}
}

interface Flushable {
	flush(): void;
}

/** Collects the writers that have frames in the current tick, so that each socket gets one write per tick. */
export class WriteBatch {
	#dirty: Flushable[] = [];

	add(writer: Flushable): void {
		if (this.#dirty.push(writer) > 1) return;
		// Runs before further input is read.
		process.nextTick(() => {
			const dirty = this.#dirty;
			this.#dirty = [];
			for (const each of dirty) each.flush();
		});
	}
}

/** First byte of a final text frame: RFC 6455, section 5.2. */
const finalText = 0x81;

/** Encodes one unmasked WebSocket text frame, which any number of sockets can share. */
export function frameText(text: string): Buffer {
	const length = Buffer.byteLength(text);
	const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
	const frame = Buffer.allocUnsafe(start + length);
	frame[0] = finalText;
	if (start === 2) frame[1] = length;
	else if (start === 4) {
		frame[1] = 126;
		// The bytes are written directly. This happens for every delta, and the checks of `writeUInt16BE` would take as long as
		// all other steps.
		frame[2] = length >> 8;
		frame[3] = length & 0xff;
	} else {
		frame[1] = 127;
		frame.writeBigUInt64BE(BigInt(length), 2);
	}
	frame.write(text, start);
	return frame;
}

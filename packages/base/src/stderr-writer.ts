import { writeSync } from "node:fs";

/** How long one line waits for a reader that is slow, in milliseconds. */
const patienceMs = 100;
const pauseMs = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

/** What it is made of; tests bring their own. */
export interface StderrWriterOptions {
	/** Writes what there is room for and returns how many bytes that were; throws `EAGAIN` where there is none. */
	readonly write?: (bytes: Buffer) => number;
	readonly pause?: (milliseconds: number) => void;
}

/**
 * Writes lines to stderr as they come, and waits a moment for a reader that is slow. What cannot be written, because of a
 * full disk or a reader that has gone or does not read, is lost: a log must not stop what it tells of.
 */
export class StderrWriter {
	readonly #write: (bytes: Buffer) => number;
	readonly #pause: (milliseconds: number) => void;
	#lost = 0;
	/** Whether the last line that was written lacks its end. */
	#cut = false;

	constructor({ write, pause }: StderrWriterOptions = {}) {
		this.#write = write ?? ((bytes) => writeSync(2, bytes));
		this.#pause = pause ?? ((milliseconds) => void Atomics.wait(never, 0, 0, milliseconds));
	}

	/** Writes a line; false where it was lost. */
	write(line: string): boolean {
		// Who has not read for a while is not waited for again and again.
		let left = this.#lost > 0 ? 0 : patienceMs;
		let bytes = Buffer.from(this.#cut ? `\n${line}` : line);
		while (bytes.length > 0) {
			try {
				const written = this.#write(bytes);
				this.#cut ||= written > 0;
				bytes = bytes.subarray(written);
			} catch (error) {
				const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
				if (!isFull || left <= 0) {
					this.#lost += 1;
					return false;
				}
				this.#pause(pauseMs);
				left -= pauseMs;
			}
		}
		this.#cut = false;
		return true;
	}

	/** How many lines were lost since this was asked last. */
	takeLost(): number {
		const lost = this.#lost;
		this.#lost = 0;
		return lost;
	}
}

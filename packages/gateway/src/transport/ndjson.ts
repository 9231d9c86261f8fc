import { isUtf8 } from "node:buffer";

const NEWLINE = 0x0a;

/** Text of a line without its line break, or the reason why the line cannot be read. */
export type Line =
	| { readonly kind: "text"; readonly text: string }
	/** A line that is longer than the limit. Its bytes were dropped. */
	| { readonly kind: "oversized"; readonly bytes: number }
	| { readonly kind: "not-utf8"; readonly bytes: number };

/**
 * Splits a stream of bytes, in chunks of any size, into lines. A line ends with `\n` or `\r\n`, and is returned
 * without this ending. Stores up to `maxBytes` bytes of an unfinished line, and one byte for a possible `\r`. Stores
 * only the length of a line that exceeds `maxBytes`.
 */
export class LineReader {
	readonly #maxBytes: number;
	#parts: Buffer[] = [];
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Returns the lines that `chunk` completes, in order. */
	*read(chunk: Buffer): Generator<Line> {
		let from = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
			this.#add(chunk.subarray(from, end));
			from = end + 1;
			yield this.#finish();
		}
		this.#add(chunk.subarray(from));
	}

	/** Returns the text after the last line break, if the input does not end with a line break. */
	end(): Line | undefined {
		return this.#bytes === 0 ? undefined : this.#finish();
	}

	#add(part: Buffer): void {
		if (part.length === 0) return;
		this.#bytes += part.length;
		if (this.#bytes > this.#maxBytes + 1) this.#parts = [];
		else this.#parts.push(part);
	}

	#finish(): Line {
		const parts = this.#parts;
		const bytes = this.#bytes;
		this.#parts = [];
		this.#bytes = 0;
		if (bytes > this.#maxBytes + 1) return { kind: "oversized", bytes };
		const [only] = parts;
		const lineBytes = parts.length === 1 && only ? only : Buffer.concat(parts);
		const line = lineBytes.at(-1) === 0x0d ? lineBytes.subarray(0, -1) : lineBytes;
		if (line.length > this.#maxBytes) return { kind: "oversized", bytes: line.length };
		if (!isUtf8(line)) return { kind: "not-utf8", bytes: line.length };
		return { kind: "text", text: line.toString("utf8") };
	}
}

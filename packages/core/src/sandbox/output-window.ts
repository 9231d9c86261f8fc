import { StringDecoder } from "node:string_decoder";

/** Bytes after which a stream is only counted. */
const STORED_BYTES = 8 * 1024 * 1024;

/**
 * Keeps the head and the tail of a stream of bytes within `maxBytes` of valid UTF-8 without NUL, however long the
 * stream is; the rest is counted. Memory is bounded by `maxBytes` and one chunk.
 */
export class OutputWindow {
	readonly #head: Buffer;
	readonly #tail: Buffer;
	readonly #decoder = new StringDecoder("utf8");
	#headLength = 0;
	/** Bytes that went past the head into the tail; its place in the ring is this modulo the ring's length. */
	#tailWritten = 0;
	#received = 0;
	#uncounted = 0;

	constructor(maxBytes: number) {
		const headBytes = Math.ceil(maxBytes / 2);
		this.#head = Buffer.alloc(headBytes);
		this.#tail = Buffer.alloc(Math.max(1, maxBytes - headBytes));
	}

	/** Takes what came next. A character may be split between chunks. */
	write(chunk: Buffer): void {
		if (this.#received >= STORED_BYTES) {
			this.#uncounted += chunk.length;
			return;
		}
		this.#received += chunk.length;
		this.#store(this.#decoder.write(chunk));
	}

	/** The text so far; call it when the stream has ended. */
	text(): string {
		this.#store(this.#decoder.end());
		const head = this.#head.subarray(0, this.#headLength);
		const tail = this.#orderedTail();
		const overwritten = this.#tailWritten - tail.length;
		if (overwritten + this.#uncounted === 0) return Buffer.concat([head, tail]).toString();
		const wholeHead = head.subarray(0, lastBoundary(head));
		const wholeTail = tail.subarray(firstBoundary(tail));
		const cut = head.length - wholeHead.length + tail.length - wholeTail.length;
		const marker = `[… ${overwritten + cut + this.#uncounted} bytes left out …]`;
		const newLine = wholeHead.at(-1) === 0x0a ? "" : "\n";
		return `${wholeHead.toString()}${newLine}${marker}\n${wholeTail.toString()}`;
	}

	#store(decoded: string): void {
		const bytes = Buffer.from(decoded.replaceAll("\0", "\u{fffd}"));
		const taken = bytes.copy(this.#head, this.#headLength);
		this.#headLength += taken;
		this.#storeInTail(bytes.subarray(taken));
	}

	#storeInTail(bytes: Buffer): void {
		const ring = this.#tail.length;
		const last = bytes.subarray(Math.max(0, bytes.length - ring));
		const start = (this.#tailWritten + bytes.length - last.length) % ring;
		const fitting = last.copy(this.#tail, start);
		last.copy(this.#tail, 0, fitting);
		this.#tailWritten += bytes.length;
	}

	#orderedTail(): Buffer {
		const ring = this.#tail.length;
		if (this.#tailWritten <= ring) return this.#tail.subarray(0, this.#tailWritten);
		const start = this.#tailWritten % ring;
		return Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, start)]);
	}
}

/** Where the last whole character of valid UTF-8 ends. */
function lastBoundary(bytes: Buffer): number {
	let start = bytes.length - 1;
	while (start > 0 && isContinuation(bytes[start])) start -= 1;
	const lead = bytes[start] ?? 0;
	const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	return start + length <= bytes.length ? bytes.length : Math.max(0, start);
}

/** Where the first whole character of valid UTF-8 begins. */
function firstBoundary(bytes: Buffer): number {
	let start = 0;
	while (start < bytes.length && isContinuation(bytes[start])) start += 1;
	return start;
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Clock, ParleyError, type RedactedStream, type Timer } from "@parley/base";
import type { Files } from "../../files/files.ts";
import { fitsOutput, shortenOutput } from "../../text/shorten-output.ts";
import { readFile } from "../../tools/files/read-file.ts";
import { exactSizeOf, outputName } from "../../vocabulary/stored-file.ts";
import { ruleNameOf } from "../../vocabulary/tool.ts";
import type { Run } from "../run/run.ts";
import { outputTexts } from "./texts.ts";

/** Maximum stored bytes of one output. A third of the gateway's file limit applies instead if that third is smaller. */
const maxStoredBytes = 8 * 1024 * 1024;

const maxBytesInMemory = 256 * 1024;

/**
 * Output of one tool call, for the model. The model receives only the head and the tail of a long output. If the run
 * has a tool that reads stored results, a long output is also stored in a file of the session, without secrets. Dispose
 * of this object after the call.
 */
export class CallOutput implements AsyncDisposable {
	readonly #run: Run;
	readonly #files: Files;
	readonly #name: string;
	/** Name of the tool that reads stored results, if the run has this tool. */
	readonly #reader: string | undefined;
	#chunks: Uint8Array[] = [];
	#bytes = 0;
	#file: OutputFile | undefined;
	#ended = false;

	constructor(run: Run, callId: string, files: Files) {
		this.#run = run;
		this.#files = files;
		this.#name = outputName(run.session.id, callId);
		this.#reader = run.settings.tools.find((tool) => ruleNameOf(tool) === readFile.name)?.name;
	}

	/**
	 * Adds the next part of the output. A character may be split between two parts. Has no effect after `shorten`, or if
	 * the run has no tool that reads stored results.
	 */
	write(chunk: Uint8Array): void {
		if (this.#ended || this.#reader === undefined) return;
		this.#bytes += chunk.length;
		if (this.#file) this.#file.write(chunk);
		else this.#chunks.push(chunk);
		if (this.#file || this.#bytes <= maxBytesInMemory) return;
		this.#file = new OutputFile(this.#run, this.#name, this.#files);
		for (const before of this.#chunks) this.#file.write(before);
		this.#chunks = [];
	}

	/**
	 * Returns the text of the result for the model: the complete text, or head and tail with a marker. If the output
	 * could be stored, the marker names the file. `text` must have no secrets. `characters`: maximum length of the
	 * result.
	 */
	async shorten(text: string, characters: number): Promise<string> {
		this.#ended = true;
		if (fitsOutput(text, characters)) return text;
		const reader = this.#reader;
		const where = reader === undefined ? "" : `. ${await this.#store(text, reader)}`;
		return shortenOutput(
			text,
			(missing) => outputTexts.leftOut(missing.characters, missing.lines, where),
			characters,
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended = true;
		this.#chunks = [];
		await this.#file?.drop();
	}

	async #store(text: string, reader: string): Promise<string> {
		try {
			const file = this.#file ?? OutputFile.of(this.#run, this.#name, text, this.#files);
			const isComplete = await file.end();
			const part = isComplete ? outputTexts.complete : outputTexts.firstPart(exactSizeOf(file.max));
			return outputTexts.contains(this.#name, part, reader);
		} catch (error) {
			this.#run.log.warn(outputTexts.notStored, { error });
			return outputTexts.restNotStored(ParleyError.from(error).message);
		}
	}
}

class OutputFile {
	readonly #content = new PassThrough();
	readonly #decoder = new StringDecoder("utf8");
	readonly #redaction: RedactedStream;
	/** Maximum stored bytes of the output. */
	readonly max: number;
	readonly #stored: Promise<unknown>;
	#left: number;
	#missing = 0;

	constructor({ session }: Run, name: string, files: Files) {
		this.#redaction = session.redactor.stream();
		// An invalid UTF-8 byte or a NUL byte becomes three bytes in the file.
		this.max = Math.min(maxStoredBytes, Math.floor(files.limits.maxBytes / 3));
		this.#left = this.max;
		const origin = { owner: session.owner, sessionId: session.id };
		this.#stored = files.storeOutput({ id: name, ...origin, content: this.#content });
		// `end` awaits the promise. Until then, a rejection of the promise must not end the process.
		this.#stored.catch(() => undefined);
	}

	static of(run: Run, name: string, text: string, files: Files): OutputFile {
		const file = new OutputFile(run, name, files);
		file.write(Buffer.from(text));
		return file;
	}

	write(chunk: Uint8Array): void {
		const stored = chunk.subarray(0, this.#left);
		this.#left -= stored.length;
		this.#missing += chunk.length - stored.length;
		this.#put(this.#decoder.write(Buffer.from(stored.buffer, stored.byteOffset, stored.length)));
	}

	/** Resolves when the file is stored: true if it contains all written text. Rejects if it cannot be stored. */
	async end(): Promise<boolean> {
		this.#put(this.#decoder.end());
		this.#content.write(this.#redaction.end());
		if (this.#missing > 0) this.#content.write(outputTexts.moreLeftOut(this.#missing));
		this.#content.end();
		await this.#stored;
		return this.#missing === 0;
	}

	/** Discards the file if it is still being written. */
	async drop(): Promise<void> {
		if (!this.#content.writableEnded) this.#content.destroy();
		await this.#stored.catch(() => undefined);
	}

	#put(text: string): void {
		const clean = this.#redaction.push(text.replaceAll("\0", "\u{fffd}"));
		if (clean !== "") this.#content.write(clean);
	}
}

/**
 * Minimum milliseconds between two reports: at most ten reports per second, including the report at the end of the
 * call.
 */
const betweenMs = 120;
/** Maximum bytes of text in one event, including the marker for omitted bytes. */
const maxBytes = 16 * 1024;
const maxText = maxBytes - 64;
/**
 * Newest bytes that are always kept between two reports: the text of one report, and 64 KiB before it for a secret that
 * begins earlier.
 */
const maxRawBytes = maxText + 64 * 1024;

export interface ProgressDeps {
	readonly clock: Clock;
	/** Creates a redactor of secrets. Called at the first output and after each gap in the output. */
	readonly redaction: () => RedactedStream;
	readonly pass: (text: string) => void;
}

/**
 * Reports the output of a running call without secrets and at a limited rate. Until the end of the call, reports
 * only complete lines. If the output is faster than the reports, each report contains only the end of the new
 * output. Memory use is bounded.
 */
export class ToolProgress {
	readonly #deps: ProgressDeps;
	#raw: Uint8Array[] = [];
	#rawBytes = 0;
	/** Number of dropped bytes that preceded the bytes in `#raw`. */
	#skipped = 0;
	#reader: Reader | undefined;
	/** Complete lines that are not reported yet. `#line` is the incomplete line after these lines. */
	readonly #lines = new Tail();
	readonly #line = new Tail();
	#checkedAt = Number.NEGATIVE_INFINITY;
	#timer: Timer | undefined;
	#ended = false;

	constructor(deps: ProgressDeps) {
		this.#deps = deps;
	}

	/** Adds the next part of the output. A character may be split between two parts. Has no effect after `end`. */
	write(chunk: Uint8Array): void {
		if (this.#ended) return;
		this.#appendChunk(chunk);
		if (this.#timer) return;
		const { clock } = this.#deps;
		const waitMs = this.#checkedAt + betweenMs - clock.monotonic();
		if (waitMs <= 0) this.#check();
		else this.#timer = clock.after(waitMs, () => this.#check());
	}

	/** Reports immediately all output that is not reported yet, including an incomplete line. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#timer?.cancel();
		if (!this.#reader) return;
		this.#read();
		const { decoder, redaction } = this.#reader;
		this.#append(redaction.push(decoder.end()) + redaction.end());
		this.#lines.append(this.#line);
		this.#report();
	}

	#appendChunk(chunk: Uint8Array): void {
		this.#raw.push(chunk);
		this.#rawBytes += chunk.length;
		for (
			let [first] = this.#raw;
			first && this.#rawBytes - first.length >= maxRawBytes;
			[first] = this.#raw
		) {
			this.#raw.shift();
			this.#rawBytes -= first.length;
			this.#skipped += first.length;
		}
	}

	#check(): void {
		this.#timer = undefined;
		this.#checkedAt = this.#deps.clock.monotonic();
		this.#read();
		this.#report();
	}

	#read(): void {
		const bytes = Buffer.concat(this.#raw);
		const skipped = this.#skipped;
		this.#raw = [];
		this.#rawBytes = 0;
		this.#skipped = 0;
		if (skipped > 0 || !this.#reader) {
			this.#reader = { decoder: new StringDecoder("utf8"), redaction: this.#deps.redaction() };
		}
		const { decoder, redaction } = this.#reader;
		if (skipped === 0) {
			this.#append(redaction.push(decoder.write(bytes)));
			return;
		}
		// A secret may begin before the shown text, so the redactor also reads the preceding text.
		const shown = bytes.length - maxText;
		const start = bytes.indexOf(0x0a, shown) + 1 || shown;
		redaction.push(decoder.write(bytes.subarray(0, start)));
		this.#line.skip(skipped + start);
		this.#append(redaction.push(decoder.write(bytes.subarray(start))));
	}

	#append(redacted: string): void {
		// The result of the call also replaces NUL, so the reports and the result show the same text.
		const text = redacted.replaceAll("\0", "\u{fffd}");
		const end = text.lastIndexOf("\n") + 1;
		if (end > 0) {
			this.#line.add(text.slice(0, end));
			this.#lines.append(this.#line);
		}
		this.#line.add(text.slice(end));
	}

	#report(): void {
		if (!this.#lines.isEmpty) this.#deps.pass(this.#lines.empty());
	}
}

interface Reader {
	readonly decoder: StringDecoder;
	readonly redaction: RedactedStream;
}

/** End of a text, and the number of dropped bytes before this end. */
class Tail {
	#text = "";
	#missing = 0;

	get isEmpty(): boolean {
		return this.#text === "";
	}

	add(text: string): void {
		this.#text += text;
		// Shortening reads the complete text, so `#shorten` does not run for each chunk.
		if (this.#text.length > 2 * maxText) this.#shorten();
	}

	/** Drops the text. Counts its bytes and `bytes` further bytes as missing. */
	skip(bytes: number): void {
		this.#missing += Buffer.byteLength(this.#text) + bytes;
		this.#text = "";
	}

	append(other: Tail): void {
		// If `other` lost its beginning, this object's text precedes the lost text, so this object's text is dropped too.
		if (other.#missing > 0) this.skip(other.#missing);
		this.add(other.#text);
		other.#text = "";
		other.#missing = 0;
	}

	/** Returns and removes the text, with a marker if bytes are missing. */
	empty(): string {
		this.#shorten();
		const marker = this.#missing > 0 ? outputTexts.bytesLeftOut(this.#missing) : "";
		const text = marker + this.#text;
		this.#text = "";
		this.#missing = 0;
		return text;
	}

	/**
	 * Drops the beginning of a text that has more than `maxText` bytes. The remaining text begins at the start of a line
	 * if possible.
	 */
	#shorten(): void {
		if (this.#text.length * 3 <= maxText) return;
		const bytes = Buffer.from(this.#text);
		if (bytes.length <= maxText) return;
		let start = bytes.length - maxText;
		const line = bytes.indexOf(0x0a, start - 1) + 1;
		if (line > 0 && line < bytes.length) start = line;
		else while (isContinuation(bytes[start])) start += 1;
		this.#missing += start;
		this.#text = bytes.toString("utf8", start);
	}
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

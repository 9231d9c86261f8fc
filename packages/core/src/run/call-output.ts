import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { ParleyError, type RedactedStream } from "@parley/base";
import { outputName } from "../files/output-name.ts";
import { ruleNameOf } from "../tool.ts";
import { readFile } from "../tools/read-file.ts";
import { fitsOutput, shortenOutput } from "../tools/shorten-output.ts";
import type { Run } from "./run.ts";

/** Bytes of one output that are kept. */
const mostKept = 8 * 1024 * 1024;

/** Up to this many bytes the result itself has the complete output: commands cut it beyond (`maxOutputBytes`). */
const inResult = 256 * 1024;

/**
 * The output of one call on its way to the model, which sees the head and the tail of a long one. The complete output
 * goes to a kept file of the session, without secrets, while the call writes it. Dispose of it after the call.
 */
export class CallOutput implements AsyncDisposable {
	readonly #run: Run;
	readonly #name: string;
	#chunks: Uint8Array[] = [];
	#bytes = 0;
	#file: OutputFile | undefined;
	#ended = false;

	constructor(run: Run, callId: string) {
		this.#run = run;
		this.#name = outputName(run.session.id, callId);
	}

	/** Takes the next part of what the call writes. A character may be split between two parts. Ignored after `shorten`. */
	write(chunk: Uint8Array): void {
		if (this.#ended) return;
		this.#bytes += chunk.length;
		if (this.#file) this.#file.write(chunk);
		else this.#chunks.push(chunk);
		if (this.#file || this.#bytes <= inResult || this.#reader === undefined) return;
		this.#file = new OutputFile(this.#run, this.#name);
		for (const before of this.#chunks) this.#file.write(before);
		this.#chunks = [];
	}

	/**
	 * Returns what the model gets of the result: all of it, or head and tail with a marker that names the kept file. `text`
	 * has no secrets; `characters` is the limit.
	 */
	async shorten(text: string, characters: number): Promise<string> {
		this.#ended = true;
		if (fitsOutput(text, characters)) return text;
		const reader = this.#reader;
		const where = reader === undefined ? "" : `. ${await this.#keep(text, reader)}`;
		return shortenOutput(
			text,
			(missing) => `[… ${missing.characters} characters in ${missing.lines} lines left out${where} …]`,
			characters,
		);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended = true;
		this.#chunks = [];
		await this.#file?.drop();
	}

	/** The name of the tool that reads kept results in this run, if it has one. */
	get #reader(): string | undefined {
		return this.#run.settings.tools.find((tool) => ruleNameOf(tool) === readFile.name)?.name;
	}

	async #keep(text: string, reader: string): Promise<string> {
		try {
			const file = this.#file ?? OutputFile.of(this.#run, this.#name, text);
			const whole = await file.end();
			const part = whole ? "the complete result" : `the first ${mostKept >> 20} MiB of the output`;
			return `${this.#name} holds ${part}: read it with ${reader}`;
		} catch (error) {
			this.#run.log.warn("the result of a tool could not be kept", { error });
			return `The rest could not be kept: ${ParleyError.from(error).message}`;
		}
	}
}

/** One kept file while it is written. */
class OutputFile {
	readonly #content = new PassThrough();
	readonly #decoder = new StringDecoder("utf8");
	readonly #redaction: RedactedStream;
	readonly #most: number;
	readonly #kept: Promise<unknown>;
	#left: number;
	#missing = 0;

	constructor({ session }: Pick<Run, "session">, name: string) {
		const { files } = session.deps;
		this.#redaction = session.redactor.stream();
		// A character that is no UTF-8 takes three bytes in the file.
		this.#most = Math.min(mostKept, Math.floor(files.limits.maxBytes / 3));
		this.#left = this.#most;
		const whose = { owner: session.owner, sessionId: session.id };
		this.#kept = files.keepOutput({ id: name, ...whose, content: this.#content });
		// It is awaited at the end; until then a failure must not end the process.
		this.#kept.catch(() => undefined);
	}

	/** The file of a complete text without secrets. */
	static of(run: Pick<Run, "session">, name: string, text: string): OutputFile {
		const file = new OutputFile(run, name);
		file.write(Buffer.from(text));
		return file;
	}

	write(chunk: Uint8Array): void {
		const taken = chunk.subarray(0, this.#left);
		this.#left -= taken.length;
		this.#missing += chunk.length - taken.length;
		this.#put(this.#decoder.write(Buffer.from(taken.buffer, taken.byteOffset, taken.length)));
	}

	/** Resolves when it is kept: true if it has all that was written. Rejects if it cannot be kept. */
	async end(): Promise<boolean> {
		this.#put(this.#decoder.end());
		this.#content.write(this.#redaction.end());
		if (this.#missing > 0) this.#content.write(`\n[… ${this.#missing} more bytes left out …]\n`);
		this.#content.end();
		await this.#kept;
		return this.#missing === 0;
	}

	/** Ends it if it is still written: then nothing is kept. */
	async drop(): Promise<void> {
		if (!this.#content.writableEnded) this.#content.destroy();
		await this.#kept.catch(() => undefined);
	}

	#put(text: string): void {
		const clean = this.#redaction.push(text.replaceAll("\0", "\u{fffd}"));
		if (clean !== "") this.#content.write(clean);
	}
}

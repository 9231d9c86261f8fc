import { StringDecoder } from "node:string_decoder";
import type { RedactedStream } from "@parley/base";
import { OutputWindow } from "../../sandbox/commands/command-runs.ts";

/**
 * Stores the output of a command since the last read, without secrets. If the output exceeds `maxBytes`, only its
 * beginning and end are stored. Text that may be the beginning of a secret is withheld until more output arrives or the
 * command ends.
 */
export class UnreadOutput {
	readonly #maxBytes: number;
	readonly #redaction: RedactedStream;
	readonly #decoder = new StringDecoder("utf8");
	#window: OutputWindow | undefined;

	constructor(maxBytes: number, redaction: RedactedStream) {
		this.#maxBytes = maxBytes;
		this.#redaction = redaction;
	}

	get isEmpty(): boolean {
		return this.#window === undefined;
	}

	/** Adds the next chunk. A character may be split between chunks. */
	write(chunk: Uint8Array): void {
		this.#add(this.#redaction.push(this.#decoder.write(chunk)));
	}

	/** Adds the withheld text. Called when the command has ended. */
	end(): void {
		this.#add(this.#redaction.push(this.#decoder.end()) + this.#redaction.end());
	}

	/** Returns the unread text, and marks it as read. */
	take(): string {
		const text = this.#window?.text() ?? "";
		this.#window = undefined;
		return text;
	}

	#add(text: string): void {
		if (text === "") return;
		this.#window ??= new OutputWindow(this.#maxBytes);
		this.#window.write(Buffer.from(text));
	}
}

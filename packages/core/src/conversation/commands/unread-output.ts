import { StringDecoder } from "node:string_decoder";
import { OutputWindow } from "../../sandbox/commands/command-runs.ts";

/** Output of a command since the last read: its beginning and its end, within a number of bytes. */
export class UnreadOutput {
	readonly #maxBytes: number;
	readonly #decoder = new StringDecoder("utf8");
	#window: OutputWindow | undefined;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	get isEmpty(): boolean {
		return this.#window === undefined;
	}

	/** Adds the next chunk. A character may be split between chunks. */
	write(chunk: Uint8Array): void {
		const text = this.#decoder.write(chunk);
		if (text === "") return;
		this.#window ??= new OutputWindow(this.#maxBytes);
		this.#window.write(Buffer.from(text));
	}

	/** Returns the unread text, which is read then. */
	take(): string {
		const text = this.#window?.text() ?? "";
		this.#window = undefined;
		return text;
	}
}

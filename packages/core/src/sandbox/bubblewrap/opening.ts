import type { OutputWindow } from "../output-window.ts";

/** Bytes that are kept of the text before the command. Bubblewrap and the shells print less. */
const MAX_BYTES = 64 * 1024;

/** Passes on the output of a command without the text that was printed before it began. */
export class Opening {
	readonly #begun: Buffer;
	readonly #output: Pick<OutputWindow, "write">;
	#before: Buffer = Buffer.alloc(0);
	#hasBegun: boolean;

	/** `begun` is printed before the command begins. Without it, all output is the command's. */
	constructor(begun: string | undefined, output: Pick<OutputWindow, "write">) {
		this.#begun = Buffer.from(begun ?? "");
		this.#output = output;
		this.#hasBegun = begun === undefined;
	}

	write(chunk: Buffer): void {
		if (this.#hasBegun) {
			this.#output.write(chunk);
			return;
		}
		const all = Buffer.concat([this.#before, chunk]);
		const at = all.indexOf(this.#begun);
		this.#before = at < 0 ? all.subarray(-MAX_BYTES) : Buffer.alloc(0);
		this.#hasBegun = at >= 0;
		if (at >= 0) this.#output.write(all.subarray(at + this.#begun.length));
	}

	/** Whether the command began. If it did not, passes what was written instead on to `output`. */
	end(output: Pick<OutputWindow, "write">): boolean {
		output.write(this.#before);
		return this.#hasBegun;
	}
}

import { ParleyError } from "@parley/base";
import { mcpConnectionTexts } from "./texts.ts";

const NEWLINE = 0x0a;

/**
 * Splits the output of a server into lines. Stores at most `maxBytes` of an unfinished line.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class MessageLines {
	readonly #maxBytes: number;
	readonly #onLine: (line: string) => void;
	#parts: Uint8Array[] = [];
	#length = 0;

	constructor(maxBytes: number, onLine: (line: string) => void) {
		this.#maxBytes = maxBytes;
		this.#onLine = onLine;
	}

	/**
	 * Reads the next part of the output. Throws `resource_exhausted` for a line that is too long, and any error that
	 * `onLine` throws.
	 */
	receive(chunk: Uint8Array): void {
		let start = 0;
		for (;;) {
			const end = chunk.indexOf(NEWLINE, start);
			this.#add(chunk.subarray(start, end < 0 ? undefined : end));
			if (end < 0) return;
			const line = Buffer.concat(this.#parts).toString("utf8");
			this.#parts = [];
			this.#length = 0;
			start = end + 1;
			if (line.trim() !== "") this.#onLine(line);
		}
	}

	#add(part: Uint8Array): void {
		this.#length += part.length;
		if (this.#length > this.#maxBytes) {
			throw new ParleyError(mcpConnectionTexts.largeMessage(this.#maxBytes), { code: "resource_exhausted" });
		}
		if (part.length > 0) this.#parts.push(part);
	}
}

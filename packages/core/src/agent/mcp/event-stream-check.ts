import { ParleyError } from "@parley/base";
import { mcpConnectionTexts } from "./texts.ts";

const lineEnd = /\r\n|\r|\n/;

/**
 * Reads a server's events before the library does, so that the library receives no event that is too long.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventStreamCheck {
	readonly #maxBytes: number;
	readonly #onMessage: (text: string) => void;
	readonly #decoder = new TextDecoder();
	#line: string[] = [];
	#data: string[] = [];
	#type = "";
	/** Bytes of the unfinished event. */
	#length = 0;
	#endsWithReturn = false;

	constructor(maxBytes: number, onMessage: (text: string) => void) {
		this.#maxBytes = maxBytes;
		this.#onMessage = onMessage;
	}

	/**
	 * Reads the next part of the stream. Throws `resource_exhausted` for an event that is too long, and any error that
	 * `onMessage` throws.
	 */
	receive(chunk: Uint8Array): void {
		let text = this.#decoder.decode(chunk, { stream: true });
		if (text === "") return;
		if (this.#endsWithReturn && text.startsWith("\n")) text = text.slice(1);
		this.#endsWithReturn = text.endsWith("\r");
		const [first = "", ...others] = text.split(lineEnd);
		this.#add(first);
		for (const line of others) {
			this.#endLine(this.#line.join(""));
			this.#line = [];
			this.#add(line);
		}
	}

	#add(part: string): void {
		this.#length += Buffer.byteLength(part);
		if (this.#length > this.#maxBytes) {
			throw new ParleyError(mcpConnectionTexts.largeMessage(this.#maxBytes), { code: "resource_exhausted" });
		}
		if (part !== "") this.#line.push(part);
	}

	#endLine(line: string): void {
		const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
		if (field === "data") this.#data.push(value);
		else if (field === "event") this.#type = value;
		if (line !== "") return;
		const data = this.#data.join("\n");
		if (data !== "" && (this.#type === "" || this.#type === "message")) this.#onMessage(data);
		this.#data = [];
		this.#type = "";
		this.#length = 0;
	}
}

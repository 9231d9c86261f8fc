import { StringDecoder } from "node:string_decoder";
import { visible } from "../../text/visible.ts";

const MAX_LINES = 20;
const LONGEST_LINE = 500;

/** Collects the last lines of a server's standard error. Cuts lines of more than `LONGEST_LINE` characters. */
export class LastLines {
	readonly #decoder = new StringDecoder("utf8");
	#lines: string[] = [];
	#rest = "";

	receive(chunk: Uint8Array): void {
		const lines = (this.#rest + this.#decoder.write(Buffer.from(chunk))).split(/\r?\n/);
		this.#rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
		const shown = lines.filter((line) => line.trim() !== "").slice(-MAX_LINES);
		this.#lines = [...this.#lines, ...shown.map((line) => visible(line.slice(0, LONGEST_LINE)))].slice(
			-MAX_LINES,
		);
	}

	get lines(): readonly string[] {
		return this.#rest.trim() === "" ? this.#lines : [...this.#lines, visible(this.#rest)];
	}
}

import type { WriteStream } from "node:tty";
import type { Frame } from "../terminal/editor-rows.ts";
import { drawChange, eraseFrame, reflowFrame } from "../terminal/live-region.ts";

/** Rows at the end of a terminal that are drawn again in place; nothing is typed there. */
export class LiveRows {
	readonly #output: WriteStream;
	#frame: Frame | undefined;
	#columns: number;

	constructor(output: WriteStream) {
		this.#output = output;
		this.#columns = output.columns;
	}

	/** Prints rows that stay, and draws these below them. */
	draw(printed: readonly string[], rows: readonly string[]): void {
		const { columns } = this.#output;
		if (this.#frame && columns < this.#columns) this.#frame = reflowFrame(this.#frame, columns);
		this.#columns = columns;
		// A frame that is as high as the screen could not be taken off it again.
		const shown = rows.slice(0, Math.max(1, (this.#output.rows || 24) - 2));
		const next: Frame = { rows: [...shown, ""], cursor: { row: shown.length, column: 0 } };
		this.#output.write(drawChange(this.#frame, printed, next));
		this.#frame = next;
	}

	/** Takes the rows that do not stay off the screen. */
	close(): void {
		this.#output.write(eraseFrame(this.#frame));
		this.#frame = undefined;
	}
}

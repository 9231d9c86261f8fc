import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { isDeepStrictEqual } from "node:util";
import type { Frame, Key } from "./editor.ts";
import { drawChange, drawRows, eraseFrame, reflowFrame } from "./live-region.ts";

const beginPasteMarks = "\u001b[?2004h";
const endPasteMarks = "\u001b[?2004l";
const clearScreen = "\u001b[H\u001b[2J";
/** xterm's alternate screen, which does not change the scrollback. */
const beginPage = "\u001b[?1049h";
const endPage = "\u001b[?1049l";
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";

export interface TerminalOptions {
	readonly input: ReadStream;
	readonly output: WriteStream;
	onKey(key: Key): void;
	/** Redraws the frame after the size has changed or the screen was cleared. */
	onRedraw(): void;
	/** Handles the end of the input. */
	onEnd(): void;
}

/** A key in the form of `node:readline`. */
interface Keypress {
	readonly name?: string;
	readonly ctrl?: boolean;
	readonly meta?: boolean;
}

/** A terminal in raw mode that shows a frame below the printed rows. Only one terminal may be open at a time. */
export class Terminal {
	readonly #options: TerminalOptions;
	#frame: Frame | undefined;
	/** Whether the screen may differ from the frame, because a resize has moved its rows. */
	#isMoved = false;
	#columns: number;
	/** Rows and frame that are drawn after the page is closed. Undefined if no page is shown. */
	#behind: { readonly rows: readonly string[]; readonly frame: Frame | undefined } | undefined;
	readonly #onKeypress = (text: string | undefined, { name = "", ctrl = false, meta = false }: Keypress) => {
		const follows = this.#hasKey;
		this.#hasKey = true;
		if (ctrl && name === "l") this.#clear();
		else this.#options.onKey({ text: text ?? "", name, ctrl, meta, follows });
	};
	/** Whether the current input chunk has already contained a key. */
	#hasKey = false;
	readonly #onData = (): void => {
		this.#hasKey = false;
	};
	readonly #onResize = (): void => this.#resized();
	readonly #onEnd = (): void => this.#options.onEnd();

	constructor(options: TerminalOptions) {
		const { input, output } = options;
		this.#options = options;
		this.#columns = widthOf(output);
		emitKeypressEvents(input);
		input.setRawMode(true);
		// This listener must run before the listener that decodes keys. The next statement adds the decoding listener.
		input.prependListener("data", this.#onData);
		input.on("keypress", this.#onKeypress);
		input.on("end", this.#onEnd);
		output.on("resize", this.#onResize);
		input.resume();
		output.write(beginPasteMarks);
	}

	get columns(): number {
		return this.#columns;
	}

	get rows(): number {
		return this.#options.output.rows || 24;
	}

	/**
	 * Prints rows above the frame and redraws the frame. Writes nothing if the screen is up to date. While a page is
	 * shown, keeps the rows and the frame until the page is closed.
	 */
	draw(rows: readonly string[], frame: Frame): void {
		if (this.#behind) {
			this.#behind = { rows: [...this.#behind.rows, ...rows], frame };
			return;
		}
		// A write during a resize is formatted for the old size, so unnecessary writes are avoided.
		if (rows.length === 0 && !this.#isMoved && isDeepStrictEqual(frame, this.#frame)) return;
		const before = this.#frame;
		const isSmall = !this.#isMoved && rows.length === 0 && before?.rows.length === frame.rows.length;
		this.#isMoved = false;
		this.#options.output.write(isSmall ? drawRows(before, frame) : drawChange(before, rows, frame));
		this.#frame = frame;
	}

	/**
	 * Shows rows on the full screen until `closePage`. Rows that are drawn in the meantime appear after the page is
	 * closed.
	 */
	showPage(rows: readonly string[]): void {
		const opening = this.#behind ? "" : beginPage + hideCursor;
		this.#behind ??= { rows: [], frame: undefined };
		this.#options.output.write(`${opening}${clearScreen}${rows.join("\r\n")}`);
	}

	closePage(): void {
		const behind = this.#behind;
		if (!behind) return;
		this.#behind = undefined;
		this.#options.output.write(showCursor + endPage);
		if (behind.frame) this.draw(behind.rows, behind.frame);
	}

	/** Erases the frame and restores the terminal's mode. */
	close(): void {
		const { input, output } = this.#options;
		this.closePage();
		output.write(eraseFrame(this.#frame) + endPasteMarks);
		this.#frame = undefined;
		input.off("keypress", this.#onKeypress);
		input.off("data", this.#onData);
		input.off("end", this.#onEnd);
		output.off("resize", this.#onResize);
		input.setRawMode(false);
		input.pause();
	}

	/** Clears the screen and redraws the frame. Has no effect while a page is shown. */
	#clear(): void {
		if (this.#behind) return;
		this.#options.output.write(clearScreen);
		this.#frame = undefined;
		this.#options.onRedraw();
	}

	#resized(): void {
		const columns = widthOf(this.#options.output);
		if (this.#frame && columns < this.#columns) this.#frame = reflowFrame(this.#frame, columns);
		this.#columns = columns;
		this.#isMoved = true;
		this.#options.onRedraw();
	}
}

function widthOf({ columns }: WriteStream): number {
	// Some pseudo-terminals report 0 columns.
	return columns || 80;
}

import { systemClock, type Timer } from "@parley/base";
import type { Io } from "../command-line/io.ts";
import type { Key } from "../terminal/editor.ts";
import { type Page, pageRows, pressPageKey } from "../terminal/pager.ts";
import { Terminal } from "../terminal/terminal.ts";
import { shorten } from "../text/shorten.ts";
import { createStyles, type OutputFormat, usesColours } from "../text/styles.ts";
import { chatTexts } from "../texts/chat/lines.ts";
import { detailTexts } from "../texts/chat/live.ts";
import { headRow, noteRows } from "../wordings/message-rows.ts";
import type { BeginChat, Chat } from "./chat.ts";
import { Keyboard } from "./keyboard.ts";
import { liveView, markMs } from "./live-view.ts";
import type { StatusLine } from "./status-line.ts";

const leavingSignals = ["SIGTERM", "SIGHUP"] as const;

/** Creates the row below the typed line. `changed` is called after each change of the row. */
export type MakeStatusLine = (changed: () => void) => StatusLine;

/**
 * Runs a chat with an input line below the transcript. Returns rows that name the session and the command to
 * continue it.
 */
export async function chatAtTerminal(
	io: Io,
	begin: BeginChat,
	makeStatus: MakeStatusLine,
): Promise<readonly string[]> {
	const view = new TerminalChat(io, begin, makeStatus);
	for (const signal of leavingSignals) process.once(signal, view.leave);
	try {
		await view.run();
	} finally {
		for (const signal of leavingSignals) process.off(signal, view.leave);
		view.close();
	}
	return view.farewell();
}

class TerminalChat {
	readonly #terminal: Terminal;
	readonly #chat: Chat;
	readonly #keyboard: Keyboard;
	readonly #status: StatusLine;
	readonly #format: () => OutputFormat;
	#page: Page | undefined;
	#timer: Timer | undefined;
	/** Whether the chat has ended. Facts and names that arrive later are not drawn. */
	#isClosed = false;
	readonly leave = (): void => this.#chat.leave();

	constructor(io: Io, begin: BeginChat, makeStatus: MakeStatusLine) {
		const styles = createStyles(usesColours(io.stdout, io.environment));
		this.#format = () => ({ columns: this.#terminal.columns, styles });
		this.#terminal = new Terminal({
			input: io.stdin,
			output: io.stdout,
			onKey: (key) => this.#press(key),
			onRedraw: () => this.#redraw(),
			onEnd: this.leave,
		});
		this.#status = makeStatus(() => this.#draw());
		this.#chat = begin({
			format: this.#format,
			show: (rows) => this.#draw(rows),
			asksForTasks: true,
			text: "markdown",
			offersRules: true,
			shellLines: "run",
			observer: this.#status,
		});
		this.#keyboard = new Keyboard(this.#chat, () => this.#openDetails());
	}

	async run(): Promise<void> {
		this.#draw([headRow(this.#chat.sessionId, this.#format())]);
		await this.#chat.read();
	}

	close(): void {
		this.#isClosed = true;
		this.#timer?.cancel();
		this.#terminal.close();
	}

	farewell(): readonly string[] {
		const words = chatTexts.howToContinue({
			session: this.#chat.sessionId,
			isIdle: this.#chat.conversation.idle,
		});
		return noteRows(words, this.#format());
	}

	#draw(rows: readonly string[] = []): void {
		if (this.#isClosed) return;
		this.#keyboard.focus();
		const { message, answer, search, notice } = this.#keyboard;
		const { conversation } = this.#chat;
		const status = this.#status.words(this.#terminal.columns);
		const state = { conversation, message, answer, search, notice, now: systemClock.monotonic(), status };
		this.#terminal.draw(rows, liveView(state, this.#format(), this.#terminal.rows));
		this.#timer ??= conversation.active ? systemClock.after(markMs, () => this.#tick()) : undefined;
	}

	#tick(): void {
		this.#timer = undefined;
		this.#draw();
	}

	#redraw(): void {
		this.#draw();
		if (this.#page) this.#showPage(this.#page);
	}

	#press(key: Key): void {
		if (this.#page) {
			const size = { rows: this.#details().length, height: this.#pageHeight };
			this.#showPage(pressPageKey(this.#page, key, size));
			return;
		}
		// `press` never rejects, because it shows its own errors.
		void this.#keyboard.press(key);
		if (!this.#keyboard.isPasting) this.#draw();
	}

	#openDetails(): void {
		this.#showPage({ end: Number.POSITIVE_INFINITY });
	}

	#showPage(page: Page | undefined): void {
		this.#page = page;
		if (!page) {
			this.#terminal.closePage();
			return;
		}
		const rows = this.#details();
		const { columns, styles } = this.#format();
		const last = Math.min(rows.length, page.end);
		const foot = `${detailTexts.position({ last, rows: rows.length })} · ${detailTexts.keys}`;
		const visible = pageRows(page, rows, this.#pageHeight);
		this.#terminal.showPage([...visible, styles.dim(shorten(foot, columns))]);
	}

	get #pageHeight(): number {
		return Math.max(1, this.#terminal.rows - 1);
	}

	#details(): readonly string[] {
		const { details } = this.#chat.conversation;
		const format = this.#format();
		return details.count === 0 ? noteRows(detailTexts.none, format) : details.rows(format);
	}
}

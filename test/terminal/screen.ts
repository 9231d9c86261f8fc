import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { Watch } from "../watch.ts";

const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));

const beginChange = "\u001b[?2026h";
const endChange = "\u001b[?2026l";

export interface ScreenOptions {
	readonly args: readonly string[];
	/** Program to run. By default, Node with the command of this repository. */
	readonly program?: string;
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
}

/** A command in a terminal of 80 columns and 24 rows, with the visible screen. */
export class Screen {
	readonly #pty: IPty;
	readonly #terminal = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 1000, allowProposedApi: true });
	readonly #watch = new Watch();
	#received = "";
	/** True during a synchronized update (DEC mode 2026), which terminals show as one change. */
	#isChanging = false;
	#exitCode: number | undefined;

	constructor({ args, program, cwd, env }: ScreenOptions) {
		const [file, words] =
			program === undefined ? [process.execPath, [binary, ...args]] : [program, [...args]];
		this.#pty = spawn(file, words, {
			...{ cwd, cols: 80, rows: 24 },
			// Becomes the variable TERM.
			name: env["TERM"] ?? "xterm-256color",
			env: { ...env },
		});
		this.#pty.onData((data) => {
			this.#received += data;
			const isChanging = this.#received.lastIndexOf(beginChange) > this.#received.lastIndexOf(endChange);
			this.#terminal.write(data, () => {
				this.#isChanging = isChanging;
				this.#watch.notify();
			});
		});
		this.#pty.onExit(({ exitCode }) => {
			// Called after the terminal has processed all earlier output.
			this.#terminal.write("", () => {
				this.#exitCode = exitCode;
				this.#watch.notify();
			});
		});
	}

	get received(): string {
		return this.#received;
	}

	/** Returns the rows on the screen, without trailing spaces and without empty rows at the end. */
	get text(): string {
		const { active } = this.#terminal.buffer;
		const rows = Array.from({ length: this.#terminal.rows }, (_, row) => {
			return active.getLine(active.viewportY + row)?.translateToString(true) ?? "";
		});
		return rows.join("\n").trimEnd();
	}

	/** Returns the text before the cursor, in the cursor's row. */
	get typed(): string {
		const { active } = this.#terminal.buffer;
		return active.getLine(active.baseY + active.cursorY)?.translateToString(false, 0, active.cursorX) ?? "";
	}

	type(keys: string): void {
		this.#pty.write(keys);
	}

	/** Types a line, waits until its end is visible, and presses Enter. */
	async enter(line: string): Promise<void> {
		this.type(line);
		// This terminal treats emoji as narrow, so the cursor after an emoji is one column too far to the right.
		const end = line.slice(-8).trimEnd();
		await this.until(`"${line}" is typed`, () => this.typed.trimEnd().endsWith(end));
		this.type("\r");
	}

	shows(text: string): Promise<void> {
		return this.until(`the screen shows "${text}"`, () => this.text.includes(text));
	}

	/** Resolves when the text is visible, no work is running, and the chat is ready for a message. */
	rests(text: string): Promise<void> {
		return this.until(`the screen rests behind "${text}"`, () => {
			const isBusy = /^(?:[\u2800-\u28ff] |cancelling|sending| {2}sends| {2}waits)/m.test(this.text);
			return this.text.includes(text) && this.typed === "› " && !isBusy;
		});
	}

	/**
	 * Resolves when the condition is true and no update of the screen is in progress. After the exit, ignores an
	 * incomplete update.
	 */
	async until(condition: string, isTrue: () => boolean, patience?: number): Promise<void> {
		const isReady = (): boolean => (!this.#isChanging || this.#exitCode !== undefined) && isTrue();
		try {
			await this.#watch.until(condition, isReady, patience);
		} catch (error) {
			throw new Error(`${String(error)}; it shows:\n${this.text}`, { cause: error });
		}
	}

	resize(columns: number, rows: number): void {
		this.#terminal.resize(columns, rows);
		this.#pty.resize(columns, rows);
	}

	/** Waits until the command exits by itself. Returns its exit code. */
	async ended(): Promise<number> {
		await this.until("the command ends", () => this.#exitCode !== undefined);
		return this.#exitCode ?? -1;
	}

	close(): void {
		if (this.#exitCode === undefined) this.#pty.kill("SIGKILL");
	}
}

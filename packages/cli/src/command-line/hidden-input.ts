import type { ReadStream } from "node:tty";

const interrupt = "\u0003";
const endOfInput = "\u0004";
const backspaces = ["\u007f", "\b"];
const eraseLine = "\u0015";

/** Hides the typed characters at a terminal while a program that reads lines asks for a password. */
export class HiddenInput implements Disposable {
	readonly #input: ReadStream;
	readonly #onInterrupt: () => void;
	#isHidden = false;
	readonly #onData = (data: string | Buffer): void => {
		// In raw mode, these keys arrive as ordinary characters.
		const text = String(data);
		if (text.includes(interrupt) || text.includes(endOfInput)) this.#onInterrupt();
	};

	/** Starts with visible input. `onInterrupt` is called after Ctrl-C or Ctrl-D while input is hidden. */
	constructor(input: ReadStream, onInterrupt: () => void) {
		this.#input = input;
		this.#onInterrupt = onInterrupt;
	}

	get isHidden(): boolean {
		return this.#isHidden;
	}

	/** Starts or stops hiding the typed characters. */
	set(isHidden: boolean): void {
		if (!this.#input.isTTY || isHidden === this.#isHidden) return;
		this.#isHidden = isHidden;
		this.#input.setRawMode(isHidden);
		if (isHidden) this.#input.on("data", this.#onData);
		else this.#input.off("data", this.#onData);
	}

	[Symbol.dispose](): void {
		this.set(false);
	}
}

/**
 * Applies the deletion keys in a line, and returns the remaining text. A terminal in raw mode does not apply these keys
 * itself.
 */
export function withoutKeys(line: string): string {
	let typed: string[] = [];
	for (const character of line) {
		if (backspaces.includes(character)) typed.pop();
		else if ([interrupt, endOfInput, eraseLine].includes(character)) typed = [];
		else typed.push(character);
	}
	return typed.join("");
}

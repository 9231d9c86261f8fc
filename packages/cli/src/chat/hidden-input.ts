import type { ReadStream } from "node:tty";

const interrupt = "\u0003";
const endOfInput = "\u0004";
const backspaces = ["\u007f", "\b"];
const eraseLine = "\u0015";

/** Hides what a person types at a terminal while a password is asked, in a chat that reads lines. */
export class HiddenInput implements Disposable {
	readonly #input: ReadStream;
	readonly #onInterrupt: () => void;
	#isHidden = false;
	readonly #onData = (data: string | Buffer): void => {
		// Without the line mode of the terminal, these keys are ordinary characters.
		const text = String(data);
		if (text.includes(interrupt) || text.includes(endOfInput)) this.#onInterrupt();
	};

	/** `onInterrupt` is called after Ctrl-C or Ctrl-D while input is hidden. */
	constructor(input: ReadStream, onInterrupt: () => void) {
		this.#input = input;
		this.#onInterrupt = onInterrupt;
	}

	get isHidden(): boolean {
		return this.#isHidden;
	}

	/** Hides the next typed characters, or shows them again. */
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

/** The text of a line after its keys that delete: a terminal without line mode passes them on. */
export function withoutKeys(line: string): string {
	let typed: string[] = [];
	for (const character of line) {
		if (backspaces.includes(character)) typed.pop();
		else if ([interrupt, endOfInput, eraseLine].includes(character)) typed = [];
		else typed.push(character);
	}
	return typed.join("");
}

import { commandLineTexts } from "../texts/command-line.ts";

export interface InterruptOptions {
	cancel(): Promise<unknown>;
	print(words: string): void;
	/** Receives the reason if the run could not be cancelled. */
	onFailure(reason: unknown): void;
}

/** Exit code after Ctrl-C, as in shells: 128 plus the signal number of SIGINT. */
export const interruptedCode = 130;

/** Handles Ctrl-C. The first press cancels the run. The second press ends the process. */
export class Interrupt {
	readonly #options: InterruptOptions;
	#wasPressed = false;

	constructor(options: InterruptOptions) {
		this.#options = options;
	}

	get wasPressed(): boolean {
		return this.#wasPressed;
	}

	/**
	 * Handles SIGINT until disposal. A terminal in raw mode sends no SIGINT, so the caller must then call
	 * `press`.
	 */
	listen(): Disposable {
		const press = (): void => this.press();
		process.on("SIGINT", press);
		return { [Symbol.dispose]: () => process.off("SIGINT", press) };
	}

	press(): void {
		if (this.#wasPressed) process.exit(interruptedCode);
		this.#wasPressed = true;
		this.#options.print(commandLineTexts.cancelling);
		this.#options.cancel().catch(this.#options.onFailure);
	}
}

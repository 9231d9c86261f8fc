import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { binary, type ProcessEnd } from "../gateway-process.ts";

/** The real `parley` with some arguments, in a process of its own. */
export class Program {
	readonly #child: ChildProcessByStdio<null, Readable, Readable>;
	readonly #said: string[] = [];
	/** What it has written to stderr so far, line by line: its own and that of what it has started. */
	readonly lines: string[] = [];
	readonly exited: Promise<ProcessEnd>;

	/** `changed` is called whenever it has said something, and when it has ended. */
	constructor(args: readonly string[], environment: Readonly<Record<string, string>>, changed: () => void) {
		this.#child = spawn(process.execPath, [binary, ...args], {
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], ...environment },
		});
		const take = (lines: string[]) => (line: string) => {
			lines.push(line);
			changed();
		};
		createInterface(this.#child.stdout).on("line", take(this.#said));
		createInterface(this.#child.stderr).on("line", take(this.lines));
		this.exited = once(this.#child, "exit").then(([code, signal]) => ({ code, signal }));
		void this.exited.then(changed);
	}

	/** What it has written to stdout so far. */
	get said(): string {
		return this.#said.join("\n");
	}

	/** Whether some line of stderr holds the text. */
	told(text: string): boolean {
		return this.lines.some((line) => line.includes(text));
	}

	/** Does nothing where it has ended. */
	kill(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}
}

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { binary, type ProcessEnd } from "../gateway-process.ts";

export class Program {
	readonly #child: ChildProcessByStdio<null, Readable, Readable>;
	readonly #stdout: string[] = [];
	/** Lines of stderr so far, including those of child processes. */
	readonly lines: string[] = [];
	readonly exited: Promise<ProcessEnd>;

	/** Starts `parley` with `args`. Calls `changed` after each output line, and when the program exits. */
	constructor(args: readonly string[], environment: Readonly<Record<string, string>>, changed: () => void) {
		this.#child = spawn(process.execPath, [binary, ...args], {
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], ...environment },
		});
		const collect = (lines: string[]) => (line: string) => {
			lines.push(line);
			changed();
		};
		createInterface(this.#child.stdout).on("line", collect(this.#stdout));
		createInterface(this.#child.stderr).on("line", collect(this.lines));
		this.exited = once(this.#child, "exit").then(([code, signal]) => ({ code, signal }));
		void this.exited.then(changed);
	}

	get stdout(): string {
		return this.#stdout.join("\n");
	}

	logged(text: string): boolean {
		return this.lines.some((line) => line.includes(text));
	}

	kill(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}
}

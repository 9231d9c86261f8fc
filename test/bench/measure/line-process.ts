import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { Marks } from "./marks.ts";
import { processCpu } from "./process-cpu.ts";

export class LineProcess {
	readonly #child: ChildProcessByStdio<Writable, Readable, null>;
	readonly #marks = new Marks();

	constructor(args: readonly string[], cwd: string) {
		this.#child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
		this.#child.stdout.on("data", (chunk) => this.#marks.inspect(chunk));
	}

	/**
	 * Returns the milliseconds from sending the line to the first output that contains `mark`. Resolves after output
	 * with `end`.
	 */
	async ask(line: string, mark: string, end = mark): Promise<number> {
		const first = this.#marks.until(mark);
		const ended = end === mark ? first : this.#marks.until(end);
		const began = performance.now();
		this.#child.stdin.write(line);
		await first;
		const elapsed = performance.now() - began;
		await ended;
		return elapsed;
	}

	cpu(): number {
		return processCpu(this.#child.pid);
	}

	async close(): Promise<void> {
		const exited = once(this.#child, "exit");
		this.#child.stdin.end();
		await exited;
	}
}

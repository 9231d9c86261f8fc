import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { Marks } from "./marks.ts";
import { processCpu } from "./process-cpu.ts";

/** A program that speaks lines over pipes; what it says is read and looked through for marks, nothing else. */
export class LineProcess {
	readonly #child: ChildProcessByStdio<Writable, Readable, null>;
	readonly #marks = new Marks();

	/** Starts Node with these arguments. */
	constructor(args: readonly string[], cwd: string) {
		this.#child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
		this.#child.stdout.on("data", (chunk) => this.#marks.look(chunk));
	}

	/** Milliseconds from sending the line to the first that holds the mark; resolves when the one with `end` has come, too. */
	async ask(line: string, mark: string, end = mark): Promise<number> {
		const first = this.#marks.until(mark);
		const ended = end === mark ? first : this.#marks.until(end);
		const began = performance.now();
		this.#child.stdin.write(line);
		await first;
		const taken = performance.now() - began;
		await ended;
		return taken;
	}

	/** Milliseconds of CPU, all threads, so far. */
	cpu(): number {
		return processCpu(this.#child.pid);
	}

	/** Ends its input, and resolves when it has ended. */
	async close(): Promise<void> {
		const exited = once(this.#child, "exit");
		this.#child.stdin.end();
		await exited;
	}
}

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Watch } from "../../watch.ts";

const program = fileURLToPath(new URL("./worker-program.ts", import.meta.url));

export interface SharedResources {
	readonly connection: string;
	/** Directory that contains the file `marks`. */
	readonly directory: string;
	/** Start of the shared clock, see `fastClock`. */
	readonly epoch: number;
	/** Notified of every output line of every process. */
	readonly watch: Watch;
}

/** A process that executes tasks of a shared database, and its output. */
export class WorkerProcess implements AsyncDisposable {
	readonly lines: string[] = [];
	readonly #child: ChildProcessByStdio<Writable, Readable, null>;
	readonly #watch: Watch;

	constructor({ connection, directory, epoch, watch }: SharedResources) {
		this.#watch = watch;
		const args = [program, connection, directory, String(epoch)];
		this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
		createInterface(this.#child.stdout).on("line", (line) => {
			this.lines.push(line);
			this.#watch.notify();
		});
	}

	/** Returns the task ids in the output lines that start with this word. */
	idsAfter(word: string): string[] {
		return this.lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
	}

	/** Writes a line to stdin, for which the model of a `hold` task waits. */
	proceed(): void {
		this.#child.stdin.write("\n");
	}

	signal(name: "SIGSTOP" | "SIGCONT"): void {
		this.#child.kill(name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const ended = once(this.#child, "close");
		this.#child.kill("SIGKILL");
		await ended;
	}
}

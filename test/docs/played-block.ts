import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { Watch } from "../watch.ts";

/**
 * Command prefix for a network namespace. In their own network namespaces, blocks can use the same ports
 * concurrently.
 */
const ownNetwork = ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--"];

export interface BlockOptions {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Whether the block runs in its own network namespace, without access to other machines and simulators. */
	readonly isAlone?: boolean;
	/** Command prefix that runs the shell in another environment, for example bwrap(1). */
	readonly place?: readonly string[];
}

/**
 * A shell block of a page, run without a terminal. `interrupt` stops the running command, and the next command of the
 * block starts.
 */
export class PlayedBlock implements AsyncDisposable {
	readonly #child: ChildProcessByStdio<null, Readable, Readable>;
	readonly #watch = new Watch();
	readonly #ended: Promise<unknown>;
	/** Combined stdout and stderr so far. */
	output = "";
	/** Process group id from the first line of the output. */
	#group: number | undefined;

	constructor(script: string, { cwd, env, isAlone = false, place }: BlockOptions) {
		const shell = ["setsid", "--wait", "sh", "-uc", `echo $$\ntrap : INT\n${script}`];
		const [program = "", ...args] = [...(place ?? (isAlone ? ownNetwork : [])), ...shell];
		this.#child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
		for (const stream of [this.#child.stdout, this.#child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => {
				this.output += text;
				this.#group ??= Number.parseInt(this.output, 10) || undefined;
				this.#watch.notify();
			});
		this.#ended = once(this.#child, "close").finally(() => this.#watch.notify());
	}

	/** Resolves when the output contains the text at least `times` times. Rejects if the block ends before that. */
	async shows(text: string, times = 1): Promise<void> {
		try {
			await this.#watch.until(`the block shows "${text}"`, () => this.#isOver || this.#count(text) >= times);
		} catch (error) {
			throw new Error(`${String(error)}; it shows:\n${this.output}`, { cause: error });
		}
		if (this.#count(text) < times) throw new Error(`the block ended without "${text}":\n${this.output}`);
	}

	#count(text: string): number {
		return this.output.split(text).length - 1;
	}

	get #isOver(): boolean {
		return this.#child.stdout.closed && this.#child.stderr.closed;
	}

	/** Sends SIGINT to the process group, like Ctrl-C. */
	interrupt(): void {
		this.#kill("SIGINT");
	}

	/** Returns the complete output after the last command has ended. */
	async ended(): Promise<string> {
		await this.#ended;
		return this.output;
	}

	#kill(signal: NodeJS.Signals): void {
		if (this.#group === undefined || this.#isOver) return;
		try {
			process.kill(-this.#group, signal);
		} catch {
			// The process group has exited, but its output has not reached its end.
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#kill("SIGKILL");
		this.#child.kill("SIGKILL");
		await this.#ended;
	}
}

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Watch } from "../watch.ts";
import type { Setup } from "./setup.ts";

const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));

/** A running command without a terminal, and its output so far. */
export class Follower {
	readonly #child: ChildProcessByStdio<null, Readable, null>;
	readonly #watch = new Watch();
	readonly #ended: Promise<unknown[]>;
	#out = "";

	constructor(setup: Setup, args: readonly string[]) {
		this.#child = spawn(process.execPath, [binary, ...args], {
			...{ cwd: setup.work, env: setup.environment },
			stdio: ["ignore", "pipe", "ignore"],
		});
		this.#ended = once(this.#child, "close");
		this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
			this.#out += text;
			this.#watch.notify();
		});
	}

	get out(): string {
		return this.#out;
	}

	shows(text: string): Promise<void> {
		return this.#watch.until(`a pipe gets "${text}"`, () => this.#out.includes(text));
	}

	/** Waits until the command exits by itself. Returns its exit code. */
	async ended(): Promise<unknown> {
		const [code] = await this.#ended;
		return code;
	}
}

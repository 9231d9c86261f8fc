import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./claiming.ts", import.meta.url));

/** A process with its own store. It competes with other processes to answer the same prompts. */
export class Claimant {
	readonly #child: ChildProcessByStdio<Writable, Readable, null>;
	readonly #words: AsyncIterator<string>;
	readonly #ended: Promise<unknown>;

	private constructor(connection: string) {
		this.#child = spawn(process.execPath, [program, connection], { stdio: ["pipe", "pipe", "inherit"] });
		this.#words = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
		this.#ended = once(this.#child, "close");
	}

	static async start(connection: string): Promise<Claimant> {
		const claimant = new Claimant(connection);
		if ((await claimant.#word()) !== "ready") throw new Error("the process did not open its store");
		return claimant;
	}

	/** Returns `won` if this process answered first, otherwise `lost`. Undefined if the process has exited. */
	async claim(id: string): Promise<string | undefined> {
		this.#child.stdin.write(`${id}\n`);
		return this.#word();
	}

	async #word(): Promise<string | undefined> {
		const { value } = await this.#words.next();
		return value;
	}

	async end(): Promise<void> {
		this.#child.stdin.end();
		await this.#ended;
	}
}

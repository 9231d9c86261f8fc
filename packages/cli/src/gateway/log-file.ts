import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LogDestination } from "@parley/base";

/** Maximum size of one file in bytes. There are two files: the current file and the previous file. */
const maxBytes = 5_000_000;

export function logFilesIn(data: string): { readonly current: string; readonly previous: string } {
	const current = join(data, "run", "gateway.log");
	return { current, previous: `${current}.1` };
}

/**
 * Log file of a data directory. It has a limited size, and only this user can read it. Each line is in the file when
 * `write` returns, so that a crash loses no line. If a line cannot be written, it is lost, because a log must not stop
 * the program.
 */
export class LogFile implements LogDestination {
	readonly #current: string;
	readonly #previous: string;
	readonly #max: number;
	#file: number | undefined;
	#bytes = 0;

	constructor(data: string, { max = maxBytes }: { readonly max?: number } = {}) {
		const { current, previous } = logFilesIn(data);
		this.#current = current;
		this.#previous = previous;
		this.#max = max;
	}

	/** Writes a line. Returns false if the line was lost. */
	write(line: string): boolean {
		const bytes = Buffer.from(line.endsWith("\n") ? line : `${line}\n`);
		try {
			if (this.#bytes > 0 && this.#bytes + bytes.length > this.#max) this.#rotate();
			this.#bytes += writeSync(this.#open(), bytes);
			return true;
		} catch {
			// The next `write` tries to open the file again.
			this.#close();
			return false;
		}
	}

	#open(): number {
		if (this.#file !== undefined) return this.#file;
		mkdirSync(dirname(this.#current), { recursive: true, mode: 0o700 });
		this.#file = openSync(this.#current, "a", 0o600);
		this.#bytes = fstatSync(this.#file).size;
		return this.#file;
	}

	#rotate(): void {
		this.#close();
		renameSync(this.#current, this.#previous);
	}

	#close(): void {
		this.#bytes = 0;
		if (this.#file === undefined) return;
		closeSync(this.#file);
		this.#file = undefined;
	}
}

import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { Io } from "../command-line/io.ts";

/** Streams that are not terminals, with the text that was written to them. */
export class CapturedIo implements Io {
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	readonly stderr: WriteStream;
	readonly environment: NodeJS.ProcessEnv;
	readonly cwd = "/";
	exitCode = 0;
	readonly #out = new PassThrough({ encoding: "utf8" });
	readonly #error = new PassThrough({ encoding: "utf8" });

	constructor(environment: NodeJS.ProcessEnv = {}) {
		this.environment = environment;
		// The streams of a piped process also lack the members that only terminals have.
		this.stdin = new PassThrough() as unknown as ReadStream;
		this.stdout = this.#out as unknown as WriteStream;
		this.stderr = this.#error as unknown as WriteStream;
	}

	/** Returns the text written to stdout since the last call. */
	drainOut(): string {
		return String(this.#out.read() ?? "");
	}

	/** Returns the text written to stderr since the last call. */
	drainError(): string {
		return String(this.#error.read() ?? "");
	}
}

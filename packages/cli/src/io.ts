import type { ReadStream, WriteStream } from "node:tty";

/** What a command reads and writes, and the code that the process ends with. Streams need not be terminals. */
export interface Io {
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	readonly stderr: WriteStream;
	readonly environment: NodeJS.ProcessEnv;
	readonly cwd: string;
	exitCode: number;
}

/** The streams of this process. */
export function processIo(): Io {
	const { stdin, stdout, stderr, env } = process;
	return { stdin, stdout, stderr, environment: env, cwd: process.cwd(), exitCode: 0 };
}

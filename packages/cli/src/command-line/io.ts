import { basename } from "node:path";
import type { ReadStream, WriteStream } from "node:tty";
import { commandLineTexts } from "../texts/command-line.ts";

/** Input and output of a command, and the exit code of the process. The streams may be terminals, pipes or files. */
export interface Io {
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	readonly stderr: WriteStream;
	readonly environment: NodeJS.ProcessEnv;
	/** Current directory. The getter throws if the directory was deleted. */
	readonly cwd: string;
	exitCode: number;
}

export function processIo(): Io {
	const { stdin, stdout, stderr, env } = process;
	return {
		stdin,
		stdout,
		stderr,
		environment: env,
		get cwd() {
			return currentDirectory();
		},
		exitCode: 0,
	};
}

function currentDirectory(): string {
	try {
		return process.cwd();
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
		// `ParleyError` would load modules that are not needed to report this error.
		throw new Error(commandLineTexts.noDirectory({ code }), {
			cause,
		});
	}
}

/** Returns `zot` if this program was started under a name that begins with `zot`, otherwise `parley`. */
export function programName(): "zot" | "parley" {
	return basename(process.argv[1] ?? "").startsWith("zot") ? "zot" : "parley";
}

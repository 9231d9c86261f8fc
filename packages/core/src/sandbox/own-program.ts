import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";

/** A program of Parley, which is trusted like this process. */
export interface OwnProgram {
	readonly args: readonly string[];
	/** Its complete environment. */
	readonly environment: Readonly<Record<string, string>>;
}

/** A program that was started. */
export interface RunningProgram {
	/** Its exit code, or 128 and the number of the signal that ended it; 127 where it could not be started. */
	readonly ended: Promise<number>;
	signal(name: "SIGTERM" | "SIGKILL"): void;
}

/**
 * Starts this Node with another script, in this process's output. Its input stays open for as long as this process
 * lives: a program that reads the end of it ends as well, so that nothing outlives a parent that was killed.
 */
export function startOwnProgram({ args, environment }: OwnProgram): RunningProgram {
	const child = spawn(process.execPath, args, { env: environment, stdio: ["pipe", "inherit", "inherit"] });
	// Nothing is written there, and `ended` reports that the other end closed.
	child.stdin?.on("error", () => undefined);
	return { ended: endOf(child), signal: (name) => void child.kill(name) };
}

function endOf(child: ChildProcess): Promise<number> {
	return new Promise((resolve) => {
		child.once("error", () => resolve(127));
		child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
	});
}

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";

/** A program of Parley, which is trusted like this process. */
export interface OwnProgram {
	readonly args: readonly string[];
	/** Complete environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** Receives each line of its stderr, which otherwise is this process's. Must not throw. */
	onErrorLine?(line: string): void;
}

/** A program that was started. */
export interface RunningProgram {
	/** Exit code, or 128 plus the number of the signal that ended it; 127 if it could not be started. */
	readonly ended: Promise<number>;
	signal(name: "SIGTERM" | "SIGKILL"): void;
}

/**
 * Starts this Node with another script, with this process's output. Its input stays open while this process lives. A program
 * that reads the end of its input exits, so it never outlives a killed parent.
 */
export function startOwnProgram({ args, environment, onErrorLine }: OwnProgram): RunningProgram {
	const errors = onErrorLine ? "pipe" : "inherit";
	const child = spawn(process.execPath, args, { env: environment, stdio: ["pipe", "inherit", errors] });
	if (child.stderr && onErrorLine) createInterface({ input: child.stderr }).on("line", onErrorLine);
	// The input receives no data, and `ended` reports that the other end closed.
	child.stdin?.on("error", () => undefined);
	return { ended: endOf(child), signal: (name) => void child.kill(name) };
}

/** A program of Parley that continues when this process and its terminal end. */
export interface BackgroundProgram extends OwnProgram {
	/** Its current directory. */
	readonly directory: string;
	/** File for its output, which is appended. Created with mode 0600. */
	readonly log: string;
}

/** Starts this Node with another script in a session of its own. Resolves with the exit code like `ended`, if it ends before this process. */
export function startInBackground({ args, environment, directory, log }: BackgroundProgram): Promise<number> {
	const output = openSync(log, "a", 0o600);
	try {
		const child = spawn(process.execPath, args, {
			cwd: directory,
			env: environment,
			detached: true,
			stdio: ["ignore", output, output],
		});
		child.unref();
		return endOf(child);
	} finally {
		closeSync(output);
	}
}

/**
 * Runs a program of the operator, such as an editor, at the terminal of this process, with its environment. `line` is a command
 * line of the shell, and `file` its last argument. Resolves with the exit code like `ended`.
 */
export function runOnTerminal(line: string, file: string): Promise<number> {
	return endOf(spawn("/bin/sh", ["-c", `${line} "$@"`, "sh", file], { stdio: "inherit" }));
}

/**
 * Asks a process to end, with the rights of another user. False if this user may not do that. `seteuid` is not enough, because
 * the kernel also permits what the real user of this process may do.
 */
export async function askToEndAs(
	pid: number,
	user: { readonly uid: number; readonly gid: number },
): Promise<boolean> {
	const call = ["-c", 'kill -s TERM "$1"', "sh", String(pid)];
	return (await endOf(spawn("/bin/sh", call, { ...user, cwd: "/", stdio: "ignore" }))) === 0;
}

function endOf(child: ChildProcess): Promise<number> {
	return new Promise((resolve) => {
		child.once("error", () => resolve(127));
		child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
	});
}

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";

/** A program of Parley. It is as trusted as this process. */
export interface OwnProgram {
	readonly args: readonly string[];
	/** Complete environment. */
	readonly environment: Readonly<Record<string, string>>;
	/**
	 * Receives each line of stderr of `startOwnProgram`. If absent, the program writes to this process's stderr. Must not
	 * throw.
	 */
	onErrorLine?(line: string): void;
}

export interface RunningProgram {
	/** Exit code, 128 plus the number of the signal that ended the program, or 127 if the program could not be started. */
	readonly ended: Promise<number>;
	signal(name: "SIGTERM" | "SIGKILL"): void;
}

/**
 * Starts a script with this process's Node and output. The script's input stays open while this process lives. A
 * program that exits at the end of its input therefore ends after its parent is killed.
 */
export function startOwnProgram({ args, environment, onErrorLine }: OwnProgram): RunningProgram {
	const errors = onErrorLine ? "pipe" : "inherit";
	const child = spawn(process.execPath, args, { env: environment, stdio: ["pipe", "inherit", errors] });
	if (child.stderr && onErrorLine) createInterface({ input: child.stderr }).on("line", onErrorLine);
	// The input never receives data, so an error of its stream needs no report.
	child.stdin?.on("error", () => undefined);
	return { ended: endOf(child), signal: (name) => void child.kill(name) };
}

/** A program of Parley that continues when this process and its terminal end. */
export interface BackgroundProgram extends OwnProgram {
	/** Current directory of the program. */
	readonly directory: string;
	/** File to which the program's output and errors are appended. Created with mode 0600 if it does not exist. */
	readonly log: string;
}

/**
 * Starts a script with this process's Node in a new process session. If the program ends before this process, resolves
 * with the program's exit code, as `RunningProgram.ended` does. Throws if the log cannot be opened.
 */
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
 * Runs a program of the operator, such as an editor, at the terminal of this process, with the environment of
 * this process. `line` is a command line of the shell, and `file` its last argument. Resolves with the exit
 * code, as `RunningProgram.ended` does.
 */
export function runOnTerminal(line: string, file: string): Promise<number> {
	return endOf(spawn("/bin/sh", ["-c", `${line} "$@"`, "sh", file], { stdio: "inherit" }));
}

/**
 * Sends SIGTERM to a process as `user`. Resolves with whether the signal was sent. `seteuid` is not enough, because the
 * kernel also accepts the permissions of this process's real user.
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

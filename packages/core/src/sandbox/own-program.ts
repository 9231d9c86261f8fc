import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";

/** A program that belongs to Parley. The program is as trusted as the current process. */
export interface OwnProgram {
	readonly args: readonly string[];
	/** Complete environment. */
	readonly environment: Readonly<Record<string, string>>;
	/**
	 * Receives each line of the program's stderr. Must not throw. If absent, the program writes to the stderr of the
	 * current process. Only for `startOwnProgram`.
	 */
	onErrorLine?(line: string): void;
}

export interface RunningProgram {
	/**
	 * Exit code of the program. If a signal ended the program, 128 plus the number of the signal. If the start failed,
	 * 127.
	 */
	readonly ended: Promise<number>;
	signal(name: "SIGTERM" | "SIGKILL"): void;
}

/**
 * Starts a script with the Node and the output of the current process. The script's input stays open while the current
 * process lives. If the current process is killed, a script that exits at the end of its input therefore also ends.
 */
export function startOwnProgram({ args, environment, onErrorLine }: OwnProgram): RunningProgram {
	const errors = onErrorLine ? "pipe" : "inherit";
	const child = spawn(process.execPath, args, { env: environment, stdio: ["pipe", "inherit", errors] });
	if (child.stderr && onErrorLine) createInterface({ input: child.stderr }).on("line", onErrorLine);
	// The input never receives data, so an error of the input stream is not reported.
	child.stdin?.on("error", () => undefined);
	return { ended: endOf(child), signal: (name) => void child.kill(name) };
}

/** A program that belongs to Parley and continues after the current process and its terminal have ended. */
export interface BackgroundProgram extends OwnProgram {
	/** Current directory of the program. */
	readonly directory: string;
	/** File to which the program's output and errors are appended. Created with mode 0600 if it does not exist. */
	readonly log: string;
}

/**
 * Starts a script with the Node of the current process, in a new process session. Resolves with the exit code, as
 * `RunningProgram.ended` does, if the script ends before the current process. Throws if the log cannot be opened.
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
 * Runs a program of the operator, such as an editor, with the terminal and the environment of the current process.
 * `line` is a shell command line, and `file` is added as its last argument. Resolves with the exit code, as
 * `RunningProgram.ended` does.
 */
export function runOnTerminal(line: string, file: string): Promise<number> {
	return endOf(spawn("/bin/sh", ["-c", `${line} "$@"`, "sh", file], { stdio: "inherit" }));
}

/**
 * Sends SIGTERM to a process with the permissions of `user`. Resolves with true if the signal was sent, and otherwise
 * with false. `seteuid` is not enough, because the kernel also accepts the permissions of this process's real user.
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

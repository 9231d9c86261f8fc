import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @type {readonly NodeJS.Signals[]} */
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program in place of this process. The program uses the streams of this process. This process forwards
 * SIGINT, SIGTERM and SIGHUP to the program. Resolves with the exit code of the program, or with 127 if the program
 * cannot be started. If a signal ends the program, the same signal ends this process.
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export async function runInPlace(file, args) {
	const child = spawn(file, args, { stdio: "inherit" });
	for (const signal of forwarded) process.on(signal, () => forward(child, signal));
	return new Promise((resolve) => {
		child.on("error", (error) => {
			console.error(`cannot run ${file}: ${error.message}`);
			resolve(127);
		});
		child.on("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : endBy(signal)));
	});
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function forward(child, signal) {
	// A terminal sends SIGINT and SIGHUP to its foreground process group, so the child already has the signal.
	// A second signal would end the child immediately.
	if (signal !== "SIGTERM" && process.stdin.isTTY) return;
	child.kill(signal);
}

/** @param {NodeJS.Signals} signal */
function endBy(signal) {
	for (const name of forwarded) process.removeAllListeners(name);
	process.kill(process.pid, signal);
	return 128 + constants.signals[signal];
}

import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @type {readonly NodeJS.Signals[]} */
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program as if it had taken this process's place: its input and output, the signals, and the end, be it an
 * exit code (what this resolves to) or a signal (which then ends this process too).
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
	// A terminal tells the whole group, so the child knows already; a second signal would mean "at once" to it.
	if (signal !== "SIGTERM" && process.stdin.isTTY) return;
	child.kill(signal);
}

/** @param {NodeJS.Signals} signal */
function endBy(signal) {
	for (const name of forwarded) process.removeAllListeners(name);
	process.kill(process.pid, signal);
	return 128 + constants.signals[signal];
}

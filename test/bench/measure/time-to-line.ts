import { spawn } from "node:child_process";
import { once } from "node:events";
import { processCpu } from "./process-cpu.ts";

/** Milliseconds from the spawn of a process to its first output that contains the mark: wall clock and CPU time. */
export interface Start {
	readonly clock: number;
	readonly cpu: number;
}

interface LineOptions {
	readonly input?: string;
	/** The text to wait for in the output. By default, any output. */
	readonly mark?: string;
}

/** Starts a process and measures the time to `mark` in its stdout. Rejects if the process exits before this output. */
export async function timeToLine(
	args: readonly string[],
	cwd: string,
	{ input, mark = "" }: LineOptions = {},
): Promise<Start> {
	const began = performance.now();
	const child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
	const exited = once(child, "exit");
	if (input === undefined) child.stdin.end();
	else child.stdin.write(input);
	await new Promise<void>((resolve, reject) => {
		let text = "";
		child.stdout.on("data", (chunk) => {
			text += chunk;
			if (text.includes(mark)) resolve();
		});
		child.once("exit", (code) => reject(new Error(`ended with ${code} before ${mark}: ${text}`)));
	});
	const elapsed = { clock: performance.now() - began, cpu: processCpu(child.pid) };
	child.kill("SIGTERM");
	await exited;
	return elapsed;
}

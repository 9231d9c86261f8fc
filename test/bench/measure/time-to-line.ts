import { spawn } from "node:child_process";
import { once } from "node:events";
import { processCpu } from "./process-cpu.ts";

/** What a process took until it said something, in milliseconds. */
export interface Start {
	readonly clock: number;
	readonly cpu: number;
}

/**
 * Starts Node with these arguments, tells it `input` where there is some, waits until it has written its first line on
 * stdout, and ends it.
 */
export async function timeToLine(args: readonly string[], cwd: string, input?: string): Promise<Start> {
	const began = performance.now();
	const child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
	const exited = once(child, "exit");
	if (input === undefined) child.stdin.end();
	else child.stdin.write(input);
	await once(child.stdout, "data");
	const taken = { clock: performance.now() - began, cpu: processCpu(child.pid) };
	child.kill("SIGTERM");
	await exited;
	return taken;
}

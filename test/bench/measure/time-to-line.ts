import { spawn } from "node:child_process";
import { once } from "node:events";
import { processCpu } from "./process-cpu.ts";

/** What a process took until it said something, in milliseconds. */
export interface Start {
	readonly clock: number;
	readonly cpu: number;
}

interface Told {
	readonly input?: string;
	/** Text of the line that is waited for; the first line unless told. */
	readonly mark?: string;
}

/** Starts Node with these arguments and this input, waits until it has written the line on stdout, and ends it. */
export async function timeToLine(
	args: readonly string[],
	cwd: string,
	{ input, mark = "" }: Told = {},
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
	const taken = { clock: performance.now() - began, cpu: processCpu(child.pid) };
	child.kill("SIGTERM");
	await exited;
	return taken;
}

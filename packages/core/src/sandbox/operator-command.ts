import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { DEFAULT_PATH, type Environment, findProgram } from "./commands/environment.ts";
import { signalGroup } from "./commands/process-group.ts";

/**
 * Maximum characters of each output (stdout and stderr) in the result of `runOperatorCommand`. Further characters are
 * dropped.
 */
const LONGEST_OUTPUT = 1_000_000;

/**
 * A call of a system program, such as systemctl(1) or npm, by a command of the operator. The program has the operator's
 * permissions. The arguments must not contain text from a model or a chat.
 */
export interface ProgramCall {
	/** Name of a program in PATH, or an absolute path. */
	readonly command: string;
	readonly args: readonly string[];
	readonly environment: Environment;
}

/** A program for `runOperatorCommand` to run. */
export interface OperatorCommand extends ProgramCall {
	readonly cwd?: string;
	/** Signal that makes this process send SIGTERM to the program. */
	readonly signal?: AbortSignal;
	/** Receives each line of stdout. Must not throw. If `onLine` is present, the `output` of the result is empty. */
	onLine?(line: string): void;
}

export interface OperatorCommandResult {
	/** Exit code of the program. If a signal ended the program, 128 plus the number of the signal. */
	readonly code: number;
	readonly output: string;
	/** Text of stderr. */
	readonly errors: string;
}

/**
 * Runs the program without input. Resolves with the exit code and the outputs when the program has exited and the
 * outputs are closed. Rejects with `not_found` if the program does not exist. Ctrl-C at a terminal also reaches the
 * program.
 */
export async function runOperatorCommand({
	command,
	args,
	environment,
	cwd,
	signal,
	onLine,
}: OperatorCommand): Promise<OperatorCommandResult> {
	const path = await findProgram(command, environment["PATH"] ?? DEFAULT_PATH);
	const child = spawn(path, args, { cwd, env: { ...environment }, stdio: ["ignore", "pipe", "pipe"] });
	const stop = (): void => void child.kill("SIGTERM");
	signal?.addEventListener("abort", stop, { once: true });
	if (signal?.aborted) stop();
	try {
		const output = onLine ? passLines(child.stdout, onLine) : textOf(child.stdout);
		const [code, text, errors] = await Promise.all([endOf(child), output, textOf(child.stderr)]);
		return { code, output: text, errors };
	} finally {
		signal?.removeEventListener("abort", stop);
	}
}

/** Limits of `readOperatorCommand`. */
export interface ReadLimits {
	/** Maximum bytes of stdout. If the output is longer, the program is killed and the output is not returned. */
	readonly maxBytes: number;
	/** Signal that ends the process group of the program with SIGKILL. */
	readonly signal: AbortSignal;
}

/**
 * Exit code and stdout of the program. `bytes` is undefined if the output was longer than the limit, or if the signal
 * aborted.
 */
export interface ReadCommandResult {
	readonly code: number;
	readonly bytes: Buffer | undefined;
}

/**
 * Runs the program without input and resolves with the bytes that the program writes to stdout. If a limit is exceeded,
 * all processes in the program's process group are killed. A process that left the group may continue, but the function
 * does not wait for that process. Rejects with `not_found` if the program does not exist.
 */
export async function readOperatorCommand(
	{ command, args, environment }: ProgramCall,
	{ maxBytes, signal }: ReadLimits,
): Promise<ReadCommandResult> {
	const path = await findProgram(command, environment["PATH"] ?? DEFAULT_PATH);
	const child = spawn(path, args, {
		env: { ...environment },
		// The program leads a group, so that a signal also reaches its child processes.
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
	});
	let isEnded = false;
	const stop = (): void => {
		isEnded = true;
		if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
		child.stdout.destroy();
	};
	signal.addEventListener("abort", stop, { once: true });
	if (signal.aborted) stop();
	const parts: Buffer[] = [];
	let size = 0;
	child.stdout.on("data", (part: Buffer) => {
		size += part.length;
		if (size > maxBytes) stop();
		else parts.push(part);
	});
	try {
		const code = await endOf(child);
		return { code, bytes: isEnded ? undefined : Buffer.concat(parts) };
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

async function passLines(stream: Readable, onLine: (line: string) => void): Promise<string> {
	for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
		onLine(line);
	return "";
}

async function textOf(stream: Readable): Promise<string> {
	stream.setEncoding("utf8");
	let text = "";
	for await (const chunk of stream) if (text.length < LONGEST_OUTPUT) text += chunk;
	return text.slice(0, LONGEST_OUTPUT);
}

function endOf(child: ChildProcess): Promise<number> {
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
	});
}

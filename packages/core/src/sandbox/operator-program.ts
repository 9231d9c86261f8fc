import { StringDecoder } from "node:string_decoder";
import type { Clock } from "@parley/base";
import { allowedEnvironment, DEFAULT_PATH, type Environment, findProgram } from "./commands/environment.ts";
import { type GroupEnd, ProcessGroup } from "./commands/process-group.ts";

/** Maximum characters in a line of output. A longer line is cut. */
const LONGEST_LINE = 2_000;

/**
 * Script that runs the program and a background process. The background process waits until descriptor 3 closes, which
 * happens when the gateway exits. The background process then sends SIGTERM to the process group, and SIGKILL two
 * seconds later.
 */
const WATCH =
	"(trap '' TERM; cat <&3; kill -s TERM -- -$$; sleep 2; kill -s KILL -- -$$) >/dev/null 2>&1 & exec 3<&-; exec \"$@\"";

/**
 * A program from the operator's configuration that runs as long as the gateway. The program has the operator's
 * permissions: it runs without a sandbox and without limits on memory or files. It ends when the gateway ends, even if
 * the gateway is killed.
 */
export interface OperatorProgram {
	/** Absolute path, or the name of a program in PATH. */
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** Complete environment of the program; see `operatorEnvironment`. */
	readonly environment: Readonly<Record<string, string>>;
	/** Receives each line of stdout and stderr, except blank lines. Must not throw or block. */
	onLine(line: string): void;
}

export interface RunningOperatorProgram {
	readonly pid: number;
	/** Settles when the program has ended, or when the gateway stops waiting for the program to end. */
	readonly ended: Promise<GroupEnd>;
	/** Sends SIGTERM to the process group, and kills the group 1.5 s later. */
	stop(): void;
}

/**
 * Starts the program. Rejects with `not_found` if the program does not exist, and with `failed_precondition` if the
 * start fails.
 */
export async function startOperatorProgram(
	{ command, args, cwd, environment, onLine }: OperatorProgram,
	clock: Clock,
): Promise<RunningOperatorProgram> {
	const path = await findOperatorProgram(command, environment);
	const lines = new Lines(onLine);
	const group = new ProcessGroup(
		{
			argv: ["/bin/sh", "-c", WATCH, "parley", path, ...args],
			cwd,
			environment,
			watchesParent: true,
			onOutput: (chunk) => lines.receive(chunk),
		},
		clock,
	);
	await group.running;
	const ended = group.ended.then((end) => {
		lines.end();
		return end;
	});
	return { pid: group.pid, ended, stop: () => group.terminate() };
}

/** Resolves with the path of the program. Rejects with `not_found` if the program does not exist. */
export function findOperatorProgram(command: string, environment: Environment): Promise<string> {
	return findProgram(command, environment["PATH"] ?? DEFAULT_PATH);
}

/**
 * Selects the environment for an operator's program from `environment`. Returns the variables that every command
 * receives, and each variable with a name that begins with one of `prefixes`.
 */
export function operatorEnvironment(
	environment: Environment,
	prefixes: readonly string[],
): Record<string, string> {
	const chosen = allowedEnvironment(environment);
	for (const [name, value] of Object.entries(environment)) {
		if (value !== undefined && prefixes.some((prefix) => name.startsWith(prefix))) chosen[name] = value;
	}
	return chosen;
}

class Lines {
	readonly #onLine: (line: string) => void;
	readonly #decoder = new StringDecoder("utf8");
	#rest = "";

	constructor(onLine: (line: string) => void) {
		this.#onLine = onLine;
	}

	receive(chunk: Buffer): void {
		const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n/);
		this.#rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
		for (const line of lines) this.#pass(line);
	}

	end(): void {
		this.#pass(this.#rest);
		this.#rest = "";
	}

	#pass(line: string): void {
		if (line.trim() !== "") this.#onLine(line.slice(0, LONGEST_LINE));
	}
}

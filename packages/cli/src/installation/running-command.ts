import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

/** Command line, directory and environment of a running process of Parley. */
export interface RunningCommand {
	/** Options of Node. */
	readonly options: readonly string[];
	/** Arguments that follow the program. */
	readonly args: readonly string[];
	readonly directory: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** Whether the system shows the command lines of processes: https://man7.org/linux/man-pages/man5/proc.5.html */
export const canReadCommands = process.platform === "linux";

/**
 * Returns the command line, directory and environment of a process that runs this program. Returns undefined if
 * the process runs another program, has ended or cannot be read, and on systems other than Linux.
 */
export function runningCommand(pid: number, program: string): RunningCommand | undefined {
	if (!canReadCommands) return undefined;
	try {
		const directory = readlinkSync(`/proc/${pid}/cwd`);
		const words = textsOf(`/proc/${pid}/cmdline`);
		// Node's own options precede the program.
		const at = words.findIndex((word, index) => index > 0 && realPath(resolve(directory, word)) === program);
		if (at < 0) return undefined;
		const variables = textsOf(`/proc/${pid}/environ`).map((line) => {
			const [name = "", ...value] = line.split("=");
			return [name, value.join("=")] as const;
		});
		const [options, args] = [words.slice(1, at), words.slice(at + 1)];
		return { options, args, directory, environment: Object.fromEntries(variables) };
	} catch {
		// The process has ended, or belongs to another user.
		return undefined;
	}
}

/**
 * Returns the readable processes that run this program, by process id. Returns none on systems other than Linux.
 */
export function runningCommands(program: string): ReadonlyMap<number, RunningCommand> {
	const names = canReadCommands ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
	const found = names.map((name) => [Number(name), runningCommand(Number(name), program)] as const);
	return new Map(found.flatMap(([pid, command]) => (command ? [[pid, command] as const] : [])));
}

function textsOf(file: string): string[] {
	return readFileSync(file, "utf8").split("\0").slice(0, -1);
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

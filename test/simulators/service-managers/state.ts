import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** State of a job between two calls of a simulated manager. */
export interface Job {
	readonly pid?: number;
	/**
	 * Exit code of the last process: 0 after a signal, 203 if it could not be started. Undefined before the process
	 * ends.
	 */
	readonly code?: number;
	readonly enabled?: boolean;
	readonly loaded?: boolean;
}

export function stateDirectory(): string {
	const directory = process.env["SIMULATED_MANAGERS"];
	if (directory === undefined) throw new Error("SIMULATED_MANAGERS is not set");
	mkdirSync(directory, { recursive: true });
	return directory;
}

export function readJob(name: string): Job {
	const file = join(stateDirectory(), `${name}.json`);
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

export function writeJob(name: string, job: Job): void {
	const file = join(stateDirectory(), `${name}.json`);
	writeFileSync(`${file}.${process.pid}`, JSON.stringify(job));
	renameSync(`${file}.${process.pid}`, file);
}

export function journalOf(name: string): string {
	return join(stateDirectory(), `${name}.journal`);
}

export function recordCall(program: string): void {
	const line = [program, ...process.argv.slice(2)].join(" ");
	writeFileSync(join(stateDirectory(), "calls"), `${line}\n`, { flag: "a" });
}

export function isAlive(pid: number | undefined): boolean {
	if (pid === undefined) return false;
	try {
		process.kill(pid, 0);
		return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
}

export function fail(message: string, code = 1): never {
	process.stderr.write(`${message}\n`);
	process.exit(code);
}

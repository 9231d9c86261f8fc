import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isAlive, readJob, writeJob } from "./state.ts";

export interface JobDescription {
	readonly argv: readonly string[];
	readonly cwd: string;
	/** All environment variables of the job, except JOURNAL_STREAM. */
	readonly environment: Readonly<Record<string, string>>;
	readonly errorFile: string;
	/** Whether the job gets JOURNAL_STREAM, as with output to the journal: systemd.exec(5) */
	readonly isJournal: boolean;
}

/**
 * Starts a job under a parent process, which records the start and the end of the job. Resolves when the job has
 * started, ended or failed to start. Rejects if the parent process exits before it has recorded one of these.
 */
export async function startJob(name: string, description: JobDescription): Promise<void> {
	const { code: _code, pid: _pid, ...rest } = readJob(name);
	writeJob(name, rest);
	const recorder = spawn(
		process.execPath,
		[fileURLToPath(import.meta.url), name, JSON.stringify(description)],
		{
			detached: true,
			stdio: "ignore",
		},
	);
	recorder.unref();
	const ended = once(recorder, "exit").then(() => true);
	while (readJob(name).pid === undefined && readJob(name).code === undefined) {
		if (await Promise.race([ended, wait(5)])) throw new Error(`${name} cannot be started`);
	}
}

/**
 * Sends SIGTERM to the main process, as with KillMode=mixed, and SIGKILL if it still runs after `seconds`.
 * Resolves when the exit code is recorded, or immediately if the process is not running.
 */
export async function stopJob(name: string, seconds: number): Promise<void> {
	const { pid } = readJob(name);
	if (pid === undefined || !isAlive(pid)) return;
	process.kill(pid, "SIGTERM");
	const end = Date.now() + seconds * 1000;
	while (isAlive(pid)) {
		if (Date.now() > end) process.kill(pid, "SIGKILL");
		await wait(10);
	}
	while (readJob(name).code === undefined) await wait(5);
}

function runAndRecord(name: string, { argv, cwd, environment, errorFile, isJournal }: JobDescription): void {
	const file = openSync(errorFile, "a", 0o600);
	const { dev, ino } = fstatSync(file);
	const stream = isJournal ? { JOURNAL_STREAM: `${dev}:${ino}` } : {};
	const [program = "", ...args] = argv;
	const child: ChildProcess = spawn(program, args, {
		cwd,
		env: { ...environment, ...stream },
		stdio: ["ignore", "ignore", file],
	});
	closeSync(file);
	child.on("spawn", () => writeJob(name, { ...readJob(name), pid: child.pid ?? 0 }));
	child.on("error", () => writeJob(name, { ...readJob(name), code: 203 }));
	child.on("exit", (code) => writeJob(name, { ...readJob(name), code: code ?? 0 }));
}

const [, script, name, description] = process.argv;
if (script === fileURLToPath(import.meta.url) && name !== undefined && description !== undefined) {
	runAndRecord(name, JSON.parse(description));
}

/**
 * Reads the variables of a file with `NAME=value` lines, as systemd does for simple values. Ignores all other lines.
 */
export function readVariables(file: string): Record<string, string> {
	const lines = readFileSync(file, "utf8").split("\n");
	return Object.fromEntries(
		lines
			.filter((line) => /^\w+=/.test(line))
			.map((line) => [line.split("=", 1)[0] ?? "", line.replace(/^\w+=/, "")]),
	);
}

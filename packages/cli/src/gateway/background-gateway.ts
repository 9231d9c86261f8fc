import { once } from "node:events";
import { statSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { defined, delay, ParleyError, systemClock } from "@parley/base";
import { startInBackground } from "@parley/core";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { printNotice } from "../command-line/output.ts";
import { visibleText } from "../text/visible.ts";
import { projectTexts } from "../texts/projects.ts";
import { readConfig } from "./run-gateway.ts";

/** Maximum seconds of a start. The first start of a version may migrate a large database. */
const patienceSeconds = 120;
const pollMs = 100;
const shownLines = 6;

interface BackgroundStart {
	readonly data: string;
	/** Current directory of the gateway. If no root is configured, this directory is also the root. */
	readonly directory: string;
	readonly io: Io;
}

/** Gateway that `ensureGateway` or `runInBackground` has found or started. */
export interface FoundGateway {
	readonly gateway: RunningGateway;
	/**
	 * Log file of a started gateway. Undefined for a gateway that was already running, or that another command started.
	 */
	readonly log?: string;
}

/**
 * Finds the gateway of the data directory, or starts a gateway that outlives this command and its terminal.
 * If the new gateway ends and no other gateway answers, rejects with the last lines of the log. Also rejects
 * if no gateway answers within 120 s. Concurrent commands use the same gateway.
 */
export async function ensureGateway(start: BackgroundStart): Promise<FoundGateway> {
	const { data, io } = start;
	const running = await findRunningGateway(data);
	if (running) return { gateway: running };
	printNotice(projectTexts.starting, io);
	return await runInBackground({
		data,
		args: ["start", "--data", data, ...(await flagsFor(start))],
		environment: environmentOf(io),
		directory: start.directory,
		program: process.argv[1] ?? "",
	});
}

interface BackgroundRun {
	readonly data: string;
	/** Path of the command's program. */
	readonly program: string;
	/** Node options of the process. */
	readonly options?: readonly string[];
	readonly args: readonly string[];
	/** All environment variables of the process. */
	readonly environment: Readonly<Record<string, string>>;
	readonly directory: string;
}

/**
 * Starts a gateway in the background, and waits until a gateway answers on the data directory. Rejects like
 * `ensureGateway`.
 */
export async function runInBackground(run: BackgroundRun): Promise<FoundGateway> {
	const { data, program: script, options = [], args, environment, directory } = run;
	const folder = join(data, "run");
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const log = join(folder, "gateway.log");
	const from = sizeOf(log);
	const program = startInBackground({ args: [...options, script, ...args], environment, directory, log });
	let hasEnded = false;
	void program.then(() => {
		hasEnded = true;
	});
	const end = systemClock.monotonic() + patienceSeconds * 1000;
	for (;;) {
		const wasOver = hasEnded;
		const gateway = await findRunningGateway(data);
		if (gateway) return { gateway, ...defined({ log: wasOver ? undefined : log }) };
		// `wasOver` is checked after the search, because another command may have started a gateway at the same
		// time.
		if (wasOver) throw await failure(log, from);
		if (systemClock.monotonic() > end) {
			const message = projectTexts.late({ seconds: patienceSeconds, log });
			throw new ParleyError(message, { code: "unavailable" });
		}
		await delay(systemClock, pollMs);
	}
}

/** Returns the environment variables of `io` that are set. */
export function environmentOf({ environment }: Io): Record<string, string> {
	const set = Object.entries(environment).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, value]],
	);
	return Object.fromEntries(set);
}

/**
 * Resolves with the flags of the new gateway. Selects a free port if only the default address is configured and
 * another program uses it. Names `/` as the root if needed, because the gateway refuses it as an implicit root.
 */
async function flagsFor({ data, directory, io }: BackgroundStart): Promise<string[]> {
	const { listen, root } = await readConfig({ data }, io);
	const [first] = listen;
	const isDefault = listen.length === 1 && first?.host === "127.0.0.1" && first.port === 7777;
	const another = isDefault && !(await isFree(first)) ? ["--listen", "127.0.0.1:0"] : [];
	return root.length === 0 && directory === "/" ? [...another, "--root", "/"] : another;
}

async function isFree(address: { readonly host: string; readonly port: number }): Promise<boolean> {
	const server = createServer();
	try {
		server.listen(address);
		await once(server, "listening");
	} catch {
		return false;
	}
	server.close();
	await once(server, "close");
	return true;
}

/** Returns the size in bytes, or 0 without a log. */
function sizeOf(log: string): number {
	return statSync(log, { throwIfNoEntry: false })?.size ?? 0;
}

async function failure(log: string, from: number): Promise<ParleyError> {
	const all = await readFile(log);
	// If the log file is shorter than before, a new file has replaced it during the start.
	const own = all.length < from ? all : all.subarray(from);
	const lines = visibleText(own.toString("utf8")).trimEnd().split("\n").slice(-shownLines).join("\n");
	return new ParleyError(projectTexts.failed({ log, lines }), { code: "failed_precondition" });
}

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export const binary = fileURLToPath(new URL("../packages/cli/bin/parley.mjs", import.meta.url));

/**
 * Default maximum milliseconds of one wait, on an idle machine. Tests scale the value with `paced` or
 * `afterPatience`.
 */
export const patienceMs = 30_000;

export interface GatewayProcessOptions {
	readonly port: number;
	readonly data: string;
	/** Home directory of the gateway, and the root of all sessions unless `givesRoot` is false. */
	readonly root: string;
	/** Whether the gateway starts with `--root`, which restricts sessions to this directory. By default, true. */
	readonly givesRoot?: boolean;
	/** Failpoints as `NAME=kill@N,…`, see failpoints.ts of the base package. */
	readonly hooks?: string;
	/** Environment variables in addition to the minimal environment of the gateway. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** Command prefix that starts Node, for example unshare(1). */
	readonly launcher?: readonly string[];
	/** Addresses to listen on. By default, a loopback address with the port. */
	readonly listen?: readonly string[];
	readonly nodeArgs?: readonly string[];
}

export interface ProcessEnd {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

export class GatewayProcess {
	readonly #child: ChildProcessByStdio<null, Readable, Readable>;
	readonly #lines: string[] = [];
	readonly #watchers = new Set<(line: string) => void>();
	/** Whether the first line of stdout is the ready line. False if the process ends without a line on stdout. */
	readonly ready: Promise<boolean>;
	readonly exited: Promise<ProcessEnd>;
	readonly port: number;

	constructor({
		port,
		data,
		root,
		hooks,
		environment,
		nodeArgs = [],
		launcher = [],
		...more
	}: GatewayProcessOptions) {
		const places = (more.listen ?? [`127.0.0.1:${port}`]).flatMap((place) => ["--listen", place]);
		const flags = [...places, "--data", data, ...(more.givesRoot === false ? [] : ["--root", root])];
		const hooked = hooks === undefined ? [] : ["--test-hooks", hooks];
		this.port = port;
		const [program = "", ...args] = [...launcher, process.execPath, ...nodeArgs];
		this.#child = spawn(program, [...args, binary, "gateway", ...flags, ...hooked], {
			stdio: ["ignore", "pipe", "pipe"],
			env: {
				PATH: process.env["PATH"],
				HOME: root,
				// Makes tests independent of the machine. Tests of the sandbox set another value.
				PARLEY_SANDBOX: "off",
				...environment,
			},
		});
		createInterface(this.#child.stderr).on("line", (line) => this.#receive(line));
		const firstLine = once(createInterface(this.#child.stdout), "line").then(([line]) => {
			return /^parley listening on https?:\/\//.test(String(line));
		});
		// The `close` event follows the `exit` event and the last line.
		this.exited = once(this.#child, "close").then(([code, signal]) => ({ code, signal }));
		this.ready = Promise.race([firstLine, this.exited.then(() => false)]);
	}

	get pid(): number {
		const { pid } = this.#child;
		if (pid === undefined) throw new Error("the gateway could not be started");
		return pid;
	}

	get stderr(): readonly string[] {
		return this.#lines;
	}

	/**
	 * Resolves with the first line that contains the text, from index `from` on. Resolves with undefined if the process
	 * exits without such a line.
	 */
	async line(text: string, from = 0): Promise<string | undefined> {
		const known = this.#lines.slice(from).find((line) => line.includes(text));
		if (known !== undefined) return known;
		const { promise, resolve } = Promise.withResolvers<string>();
		const watch = (line: string): void => {
			if (line.includes(text)) resolve(line);
		};
		this.#watchers.add(watch);
		try {
			return await Promise.race([promise, this.exited.then(() => undefined)]);
		} finally {
			this.#watchers.delete(watch);
		}
	}

	kill(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}

	#receive(line: string): void {
		this.#lines.push(line);
		for (const watch of this.#watchers) watch(line);
	}
}

/**
 * Returns a free port that the gateway can reuse after a restart. It is below the range of outgoing ports, because a
 * client that connects to an unused port of that range may connect to itself.
 */
export async function choosePort(): Promise<number> {
	for (;;) {
		// Random instead of seeded, because concurrent tests with the same seed would choose the same port.
		const port = randomInt(10_000, 32_000);
		if (await isFree(port)) return port;
	}
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	try {
		server.listen({ host: "127.0.0.1", port });
		await once(server, "listening");
	} catch {
		return false;
	}
	server.close();
	await once(server, "close");
	return true;
}

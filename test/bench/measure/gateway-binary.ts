import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { processCpu } from "./process-cpu.ts";
import type { Start } from "./time-to-line.ts";

export const binary = fileURLToPath(new URL("../../../packages/cli/bin/parley.mjs", import.meta.url));

export class GatewayBinary implements AsyncDisposable {
	readonly port: number;
	/** Milliseconds of wall-clock time and CPU time from the spawn to the ready line. */
	readonly begun: Start;
	readonly #child: ChildProcess;
	readonly #exited: Promise<unknown>;

	private constructor(child: ChildProcess, port: number, startTime: Start) {
		this.#child = child;
		this.#exited = once(child, "exit");
		this.port = port;
		this.begun = startTime;
	}

	/**
	 * Starts the gateway on a free port, with additional flags. Creates the data directory if it does not exist.
	 * `command` may be the binary of another checkout.
	 */
	static async start(
		data: string,
		root: string,
		more: readonly string[] = [],
		command = binary,
	): Promise<GatewayBinary> {
		const usual = ["--listen", "127.0.0.1:0", "--data", data, "--root", root, "--log-level", "error"];
		const flags = [...usual, ...more];
		const began = performance.now();
		const child = spawn(process.execPath, [command, "gateway", ...flags], {
			cwd: root,
			stdio: ["ignore", "pipe", "inherit"],
		});
		// Stops the gateway when the bench exits without stopping it.
		const kill = (): boolean => child.kill("SIGKILL");
		process.once("exit", kill);
		child.once("exit", () => process.off("exit", kill));
		const [line] = await once(child.stdout, "data");
		const startTime = { clock: performance.now() - began, cpu: processCpu(child.pid) };
		const { port } = new URL(
			String(line)
				.replace(/^parley listening on /, "")
				.trim(),
		);
		return new GatewayBinary(child, Number(port), startTime);
	}

	memory(): number {
		const [, kilobytes] =
			/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8")) ?? [];
		return Number(kilobytes) * 1024;
	}

	cpu(): number {
		return processCpu(this.#child.pid);
	}

	async kill(): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.#exited;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.kill();
	}
}

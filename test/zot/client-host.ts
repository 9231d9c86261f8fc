import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";

export interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

export interface ProgramOptions {
	readonly input?: string;
	readonly cwd?: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly limitMs?: number;
}

/** The working directory and the home directory of a program that starts the agent. */
export class ClientHost implements Disposable {
	readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-zot-")));
	readonly home = join(this.directory, "home");

	constructor() {
		mkdirSync(this.home);
	}

	path(...names: readonly string[]): string {
		return join(this.directory, ...names);
	}

	/**
	 * Runs a program with this input and a minimal environment, and waits for its exit. Kills it after `limitMs`, scaled
	 * to the speed of the machine.
	 */
	run(
		[program, ...args]: readonly [string, ...string[]],
		{ input = "", limitMs = 30_000, ...options }: ProgramOptions = {},
	): Promise<Ended> {
		const { promise, resolve } = Promise.withResolvers<Ended>();
		const env = { PATH: process.env["PATH"], HOME: this.home, PARLEY_SANDBOX: "off", ...options.env };
		const { cwd = this.directory } = options;
		const timeout = paced(limitMs);
		const child = execFile(program, args, { cwd, env, timeout }, (error, stdout, stderr) => {
			const code = error === null ? 0 : error.code;
			resolve({ code: typeof code === "number" ? code : -1, stdout, stderr });
		});
		// A program that refuses its flags exits before it reads its input.
		child.stdin?.on("error", () => undefined);
		child.stdin?.end(input);
		return promise;
	}

	[Symbol.dispose](): void {
		rmSync(this.directory, { recursive: true, force: true });
	}
}

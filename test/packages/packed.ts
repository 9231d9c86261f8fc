import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { documented } from "../docs/shell-blocks.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const execute = promisify(execFile);

/** Directories in PATH, except those of installed packages. */
export const systemPath = (process.env["PATH"] ?? "")
	.split(delimiter)
	.filter((folder) => !folder.includes("node_modules"));

/** Returns the path of a program. Throws if the program is not installed. */
export function findProgram(name: string): string {
	const folder = systemPath.find((one) => existsSync(join(one, name)));
	if (folder === undefined) throw new Error(`${name} is not installed`);
	return join(folder, name);
}

/** Pattern of the variables that `npm run` sets itself. They are not settings of the user. */
const ofScripts =
	/^npm_config_(?:(?:local_|global_)?prefix|node_gyp|nodedir|npm_version|user_agent|loglevel)$/i;

/** Returns npm's configuration of this machine as environment variables, because a new home directory lacks it. */
export async function npmSettings(): Promise<Record<string, string>> {
	const settings: Record<string, string> = {};
	for (const name of ["userconfig", "globalconfig", "cache"]) {
		const { stdout } = await execute("npm", ["config", "get", name], {
			env: { ...process.env, PATH: systemPath.join(delimiter) },
		});
		settings[`npm_config_${name}`] = stdout.trim();
	}
	for (const [name, value] of Object.entries(process.env)) {
		if (value === undefined || ofScripts.test(name)) continue;
		if (/_proxy$|_CERT|^npm_config_/i.test(name)) settings[name] = value;
	}
	return {
		...settings,
		npm_config_update_notifier: "false",
		npm_config_audit: "false",
		npm_config_fund: "false",
	};
}

export interface Printed {
	readonly stdout: string;
	readonly stderr: string;
}

/** Home directory and environment of a new user, who installs Parley with the Node binary that `create` receives. */
export class NewMachine implements AsyncDisposable {
	readonly directory = mkdtempSync(join(tmpdir(), "parley-package-"));
	readonly home = join(this.directory, "home");
	readonly environment: NodeJS.ProcessEnv;
	#errors = "";
	#started: ChildProcessByStdio<null, Readable, Readable> | undefined;

	private constructor(node: string, settings: Readonly<Record<string, string>>) {
		const programs = join(this.directory, "programs");
		for (const folder of [this.home, programs]) mkdirSync(folder);
		symlinkSync(node, join(programs, "node"));
		this.environment = {
			...settings,
			PATH: [join(this.home, ".local/bin"), programs, ...systemPath].join(delimiter),
			HOME: this.home,
			PARLEY_SANDBOX: "off",
			PARLEY_LISTEN: "127.0.0.1:0",
		};
	}

	/** Creates a machine with the Node.js binary `node`. */
	static async create(node: string): Promise<NewMachine> {
		return new NewMachine(node, await npmSettings());
	}

	/** Returns the stderr of the started program so far. */
	get errors(): string {
		return this.#errors;
	}

	/** Runs a program. Rejects if the exit code is not 0. */
	run(program: string, ...args: readonly string[]): Promise<Printed> {
		return execute(program, args, { cwd: this.home, env: this.environment });
	}

	/**
	 * Starts a program, and resolves with the output line that contains the URL of the gateway. Disposal stops the
	 * process.
	 */
	async start(program: string, ...args: readonly string[]): Promise<string> {
		const child = spawn(program, args, {
			cwd: this.home,
			env: this.environment,
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
		});
		this.#started = child;
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			this.#errors += text;
		});
		const ended = once(child, "close").then(([code]) => {
			throw new Error(`${program} ended with ${code}:\n${this.#errors}`);
		});
		ended.catch(() => undefined);
		return Promise.race([listening(child.stdout), ended]);
	}

	/** Waits until the started program exits. Returns its exit code and signal. */
	async ended(): Promise<readonly unknown[]> {
		const child = this.#started;
		if (!child) throw new Error("no program was started");
		if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
		return [child.exitCode, child.signalCode];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const pid = this.#started?.pid;
		if (pid !== undefined) {
			try {
				process.kill(-pid, "SIGKILL");
			} catch {
				// The process group has no remaining processes, as expected.
			}
		}
		rmSync(this.directory, { recursive: true, force: true });
	}
}

function listening(output: Readable): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<string>();
	createInterface(output).on("line", (line) => {
		if (line.startsWith("parley listening on ")) resolve(line);
	});
	return promise;
}

/**
 * Returns the path of a Node 20 binary: the machine's own, or one that this function installs from the registry into
 * `folder`.
 */
export async function node20(folder: string): Promise<string> {
	for (const directory of systemPath) {
		const program = join(directory, "node");
		if (existsSync(program) && (await majorOf(program)) === 20) return program;
	}
	const name = `node-${process.platform}-${process.arch}`;
	await execute("npm", ["install", "--prefix", folder, "--no-save", `${name}@20`], { cwd: folder });
	return join(folder, "node_modules", name, "bin/node");
}

async function majorOf(program: string): Promise<number> {
	const { stdout } = await execute(program, ["--version"]);
	return Number.parseInt(stdout.slice(1), 10);
}

/** Creates packages in the folder. Returns the printed paths. */
export async function pack(node: string, folder: string, ...names: readonly string[]): Promise<string[]> {
	const { stdout } = await execute(node, [join(root, "scripts/run.mjs"), "pack", folder, ...names], {
		cwd: root,
		// With this log level, npm prints messages after its output, as it does when a newer npm exists.
		env: { ...process.env, npm_config_loglevel: "info" },
	});
	return stdout.trim().split("\n");
}

/** Runs the documented block, with `folder` instead of `dist`, to create the packages. Returns the printed paths. */
export async function packDocumented(block: string, node: string, folder: string): Promise<string[]> {
	const { stdout } = await execute("sh", ["-euc", documented(block, [["-- dist ", `-- '${folder}' `]])], {
		cwd: root,
		env: {
			...process.env,
			PATH: [dirname(node), ...systemPath].join(delimiter),
			npm_config_loglevel: "info",
		},
	});
	// npm prints the name of the script before its output.
	return stdout.split("\n").filter((line) => line !== "" && !line.startsWith(">"));
}

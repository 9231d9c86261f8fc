import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { binary, choosePort } from "../gateway-process.ts";

const simulators = fileURLToPath(new URL("../simulators/service-managers/", import.meta.url));
const programs = ["systemctl", "journalctl", "loginctl", "launchctl"];

/** A home directory, and a PATH with simulated service managers. */
export class Managers implements AsyncDisposable {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "parley-service-")));
	readonly home = join(this.root, "home");
	/** A directory name that must be quoted in a systemd unit and escaped in a property list. */
	readonly work = join(this.root, 'work 100% "$HOME" & <co>');
	readonly data = join(this.root, "data");
	readonly #state = join(this.root, "state");
	readonly #bin = join(this.root, "bin");
	readonly port: number;

	private constructor(port: number) {
		this.port = port;
		for (const directory of [this.home, this.work, this.#state, this.#bin]) mkdirSync(directory);
		for (const program of programs) {
			const file = join(this.#bin, program);
			writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${simulators}${program}.ts' "$@"\n`);
			chmodSync(file, 0o755);
		}
	}

	static async open(): Promise<Managers> {
		return new Managers(await choosePort());
	}

	get environment(): Record<string, string> {
		return {
			PATH: `${this.#bin}:${process.env["PATH"] ?? ""}`,
			HOME: this.home,
			SIMULATED_MANAGERS: this.#state,
			PARLEY_SANDBOX: "off",
			PARLEY_LISTEN: `127.0.0.1:${this.port}`,
			PARLEY_DATA: this.data,
		};
	}

	get unit(): string {
		return join(this.home, ".config/systemd/user/parley.service");
	}

	/** Returns the calls of the service managers so far, without queries of their state. */
	calls(): string[] {
		const file = join(this.#state, "calls");
		const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
		return lines.filter((line) => !/ (?:show|print|is-system-running|--version|show-user)\b/.test(line));
	}

	/** Runs a Parley command without a terminal. Returns its exit code and output. */
	async run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
		const child = spawn(process.execPath, [binary, ...args], {
			cwd: this.work,
			env: { ...this.environment, ...variables },
		});
		child.stdin.end();
		const [out, error, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { out, error, code };
	}

	/** Runs a Parley command, and resolves with its stdout. Rejects if the exit code is not 0. */
	async succeeds(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
		const { out, error, code } = await this.run(args, variables);
		if (code !== 0) throw new Error(`parley ${args.join(" ")} ended with ${code}\n${out}${error}`);
		return out;
	}

	async json(args: readonly string[]): Promise<Record<string, unknown>> {
		const { out } = await this.run([...args, "--json"]);
		return JSON.parse(out);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.run(["service", "uninstall"]);
		rmSync(this.root, { recursive: true, force: true });
	}
}

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** The real gateway in new directories. After a restart, the gateway uses the same directories. */
export class Binary implements AsyncDisposable {
	readonly #directory: string;
	readonly #port: number;
	process: GatewayProcess;

	private constructor(directory: string, port: number) {
		this.#directory = directory;
		this.#port = port;
		this.process = this.#launch();
	}

	static async start(): Promise<Binary> {
		const directory = await mkdtemp(join(tmpdir(), "parley-storm-"));
		await mkdir(join(directory, "root"));
		const binary = new Binary(directory, await choosePort());
		await binary.#isReady();
		return binary;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async again(): Promise<void> {
		this.process = this.#launch();
		await this.#isReady();
	}

	/**
	 * Returns the CPU seconds of the process so far: fields 14 and 15 of proc_pid_stat(5), which are in hundredths of
	 * a second.
	 */
	cpuSeconds(): number {
		const [, rest = ""] = readFileSync(`/proc/${this.process.pid}/stat`, "utf8").split(") ");
		const fields = rest.split(" ");
		return (Number(fields[11]) + Number(fields[12])) / 100;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.process.kill("SIGTERM");
		await this.process.exited;
		await rm(this.#directory, { recursive: true, force: true });
	}

	#launch(): GatewayProcess {
		const [data, root] = [join(this.#directory, "data"), join(this.#directory, "root")];
		return new GatewayProcess({ port: this.#port, data, root });
	}

	async #isReady(): Promise<void> {
		if (await this.process.ready) return;
		throw new Error(`the gateway did not start:\n${this.process.stderr.join("\n")}`);
	}
}

import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { choosePort, GatewayProcess, type GatewayProcessOptions } from "../gateway-process.ts";
import { askDaemon, KontekstStream } from "./drivers/kontekst-client.ts";

export const fakeLlamaServer = fileURLToPath(new URL("../simulators/llama/llama-server.ts", import.meta.url));

/** The real gateway with a fake llama-server, in a temporary directory and on two free ports. */
export class LlamaSetup implements AsyncDisposable {
	readonly directory: string;
	readonly port: number;
	readonly llamaPort: number;
	#gateway: GatewayProcess | undefined;

	private constructor(port: number, llamaPort: number) {
		this.directory = mkdtempSync(join(tmpdir(), "parley-llama-"));
		this.port = port;
		this.llamaPort = llamaPort;
		for (const name of ["work", "models"]) mkdirSync(join(this.directory, name));
		mkdirSync(join(this.directory, "data"), { mode: 0o700 });
	}

	static async create(): Promise<LlamaSetup> {
		return new LlamaSetup(await choosePort(), await choosePort());
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get endpoint(): string {
		return `http://127.0.0.1:${this.llamaPort}`;
	}

	get models(): string {
		return join(this.directory, "models");
	}

	/** Returns the process ids of all servers that were started, in order. Throws if no server was started. */
	get starts(): number[] {
		return readFileSync(join(this.models, "starts"), "utf8").trim().split("\n").map(Number);
	}

	/**
	 * Starts a gateway. `args` are additional arguments of the fake server, and `settings` override the `llama`
	 * settings.
	 */
	async start(
		args: readonly string[] = [],
		settings: object = {},
		options: Partial<GatewayProcessOptions> = {},
	): Promise<GatewayProcess> {
		const gateway = this.launch(args, settings, options);
		if (await gateway.ready) return gateway;
		throw new Error(`the gateway did not start: ${gateway.stderr.join("\n")}`);
	}

	launch(
		args: readonly string[],
		settings: object = {},
		options: Partial<GatewayProcessOptions> = {},
	): GatewayProcess {
		const llama = {
			...{ endpoint: this.endpoint, model_dir: this.models, command: process.execPath },
			args: [fakeLlamaServer, "-m", "tiny.gguf", ...args],
			...settings,
		};
		const data = join(this.directory, "data");
		writeFileSync(join(data, "parley.config.json"), JSON.stringify({ llama, titles: false }));
		const root = join(this.directory, "work");
		this.#gateway = new GatewayProcess({ port: this.port, data, root, ...options });
		return this.#gateway;
	}

	async steer(action: "loaded" | "mute" | "requests"): Promise<unknown> {
		return parseJson(await (await fetch(`${this.endpoint}/fake/${action}`)).text());
	}

	/** Connects to the server. The returned function resolves when the server has closed the connection. */
	async connectionEnd(): Promise<() => Promise<unknown>> {
		const socket = connect({ host: "127.0.0.1", port: this.llamaPort });
		await once(socket, "connect");
		const closed = once(socket.resume(), "close");
		return () => closed;
	}

	status(): Promise<Readonly<Record<string, unknown>>> {
		return askDaemon(this.url, "getStatus");
	}

	/** Returns the `llama` section of the verbose health report. */
	async report(): Promise<Readonly<Record<string, unknown>>> {
		const text = await (await fetch(`${this.url}/api/health?verbose`)).text();
		const { llama }: { llama?: object } = Object(parseJson(text));
		return Object(llama);
	}

	async run(prompt: string) {
		await using stream = new KontekstStream(this.url);
		stream.start({ prompt });
		const { context } = await stream.until("contextSnapshot");
		const { content } = await stream.until("completed");
		return { content, context: Object(context) };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#gateway?.kill("SIGTERM");
		await this.#gateway?.exited;
		rmSync(this.directory, { recursive: true, force: true });
	}
}

/** Whether a process with this id exists and is not a zombie process. */
export function exists(pid: number): boolean {
	const file = `/proc/${pid}/status`;
	return existsSync(file) && /^State:\s+[^ZX]/m.test(readFileSync(file, "utf8"));
}

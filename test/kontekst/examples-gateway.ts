import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOperatorToken } from "@parley/gateway";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { ClientHost, type Ended, type ProgramOptions } from "../zot/client-host.ts";

const commandFolder = fileURLToPath(new URL("../../bin", import.meta.url));
export const folder = fileURLToPath(new URL("../../examples/kontekst", import.meta.url));

/** The real gateway with the offline model and required tokens. `run` starts programs that connect to it. */
export class ExamplesGateway implements AsyncDisposable {
	readonly environment: Readonly<Record<"PATH" | "PARLEY_ADDRESS" | "PARLEY_TOKEN" | "PARLEY_DATA", string>>;
	readonly #host: ClientHost;
	readonly #process: GatewayProcess;

	static async start(): Promise<ExamplesGateway> {
		const host = new ClientHost();
		const [data, root] = [host.path("data"), host.path("root")];
		mkdirSync(root);
		const port = await choosePort();
		const environment = { PARLEY_AUTH: "token", PARLEY_PROVIDER: "offline" };
		const process = new GatewayProcess({ port, data, root, environment });
		if (!(await process.ready)) throw new Error(process.stderr.join("\n"));
		return new ExamplesGateway(host, process, (await readOperatorToken(data)) ?? "");
	}

	private constructor(host: ClientHost, gateway: GatewayProcess, token: string) {
		this.#host = host;
		this.#process = gateway;
		this.environment = {
			// Node 24 comes first, because the programs of the packages start `node`.
			PATH: `${dirname(process.execPath)}:${commandFolder}:${process.env["PATH"]}`,
			PARLEY_ADDRESS: `127.0.0.1:${gateway.port}`,
			PARLEY_TOKEN: token,
			PARLEY_DATA: host.path("data"),
		};
	}

	path(...names: readonly string[]): string {
		return join(this.#host.path("root"), ...names);
	}

	run(command: readonly [string, ...string[]], options: ProgramOptions = {}): Promise<Ended> {
		return this.#host.run(command, { ...options, env: { ...this.environment, ...options.env } });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.kill("SIGTERM");
		await this.#process.exited;
		this.#host[Symbol.dispose]();
	}
}

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOperatorToken } from "@parley/gateway";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { Random, testSeed } from "../random.ts";
import { type Ended, Stranger, type StrangerOptions } from "../zot/stranger.ts";

export const folder = fileURLToPath(new URL("../../examples/kontekst", import.meta.url));

/** The real gateway with the offline model, which requires a token, and programs that connect to it. */
export class ExamplesGateway implements AsyncDisposable {
	/** Variables that the examples and the command `parley` read. */
	readonly environment: Readonly<Record<"PATH" | "PARLEY_ADDRESS" | "PARLEY_TOKEN" | "PARLEY_DATA", string>>;
	readonly #stranger: Stranger;
	readonly #process: GatewayProcess;

	static async start(): Promise<ExamplesGateway> {
		const stranger = new Stranger();
		const [data, root] = [stranger.path("data"), stranger.path("root")];
		mkdirSync(root);
		const port = await choosePort(new Random(testSeed()));
		const environment = { PARLEY_AUTH: "token", PARLEY_PROVIDER: "offline" };
		const process = new GatewayProcess({ port, data, root, environment });
		if (!(await process.ready)) throw new Error(process.stderr.join("\n"));
		return new ExamplesGateway(stranger, process, (await readOperatorToken(data)) ?? "");
	}

	private constructor(stranger: Stranger, gateway: GatewayProcess, token: string) {
		this.#stranger = stranger;
		this.#process = gateway;
		this.environment = {
			// Node 24 first, because the programs of the packages start `node`.
			PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
			PARLEY_ADDRESS: `127.0.0.1:${gateway.port}`,
			PARLEY_TOKEN: token,
			PARLEY_DATA: stranger.path("data"),
		};
	}

	/** A path below the root of the sessions. */
	path(...names: readonly string[]): string {
		return join(this.#stranger.path("root"), ...names);
	}

	run(command: readonly [string, ...string[]], options: StrangerOptions = {}): Promise<Ended> {
		return this.#stranger.run(command, { ...options, env: { ...this.environment, ...options.env } });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.kill("SIGTERM");
		await this.#process.exited;
		this.#stranger[Symbol.dispose]();
	}
}

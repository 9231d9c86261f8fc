import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { type Clock, createIds, type Failpoints, Redactor, systemClock } from "@parley/base";
import { type ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Model } from "@parley/core";
import { type Config, type Gateway, startGateway } from "@parley/gateway";

export interface GatewayOptions {
	/** Clock of the gateway. By default, the system clock. */
	readonly clock?: ManualClock;
	/** Names of root directories in the test directory. By default, `["work"]`. */
	readonly roots?: readonly string[];
	/** Model to use instead of the offline model. */
	readonly model?: Model;
	readonly failpoints?: Failpoints;
	readonly onShutdown?: () => void;
	readonly config?: Partial<Config>;
	/** Contents of files in the data directory, by name. They are written before the first start. */
	readonly data?: Readonly<Record<string, string>>;
}

export class TestGateway implements AsyncDisposable {
	readonly log = new MemoryLogger();
	/** Test directory, with the subdirectories `work`, `other`, `here` (working directory of the gateway) and `data`. */
	readonly directory: string;
	readonly #options: GatewayOptions;
	#gateway: Gateway | undefined;
	/** Address of the latest gateway, even after that gateway has stopped. */
	#url = "";

	private constructor(directory: string, options: GatewayOptions) {
		this.directory = directory;
		this.#options = options;
	}

	static async start(options: GatewayOptions = {}): Promise<TestGateway> {
		const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-conformance-")));
		for (const name of ["work", "other", "here"]) await mkdir(join(directory, name));
		const gateway = new TestGateway(directory, options);
		for (const [name, text] of Object.entries(options.data ?? {})) {
			const path = gateway.path("data", name);
			await mkdir(dirname(path), { recursive: true, mode: 0o700 });
			await writeFile(path, text);
		}
		await gateway.#start();
		return gateway;
	}

	get url(): string {
		return this.#url;
	}

	path(...names: readonly string[]): string {
		return join(this.directory, ...names);
	}

	async restart(): Promise<void> {
		await this.stop();
		await this.#start();
	}

	/**
	 * Stops the gateway. Parks the runs that are still active after the grace time. Resolves when all connections
	 * are closed.
	 */
	async stop(graceMs = 0): Promise<void> {
		const { clock } = this.#options;
		const gateway = this.#gateway;
		this.#gateway = undefined;
		let stopped = gateway === undefined;
		const stopping = gateway?.stop(graceMs).finally(() => {
			stopped = true;
		});
		while (!stopped && clock) {
			clock.advance(0);
			await tick();
		}
		await stopping;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		await rm(this.directory, { recursive: true, force: true });
	}

	async #start(): Promise<void> {
		const { clock, roots = ["work"], model, failpoints, config, onShutdown } = this.#options;
		const time: Clock = clock ?? systemClock;
		this.#gateway = await startGateway({
			config: {
				listen: [{ host: "127.0.0.1", port: 0 }],
				data: this.path("data"),
				root: roots.map((name) => this.path(name)),
				...{ provider: "offline", auth: "none", logLevel: "silent", allowedHosts: [], titles: false },
				sandbox: "off",
				...config,
			},
			...{ clock: time, ids: createIds(), log: this.log, redactor: new Redactor(), version: "0.0.0" },
			currentDirectory: this.path("here"),
			...(model && { model }),
			...(failpoints && { failpoints }),
			...(onShutdown && { onShutdown }),
		});
		this.#url = this.#gateway.urls[0] ?? "";
	}
}

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { type Clock, createIds, type Failpoints, Redactor, systemClock } from "@parley/base";
import { type ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Model } from "@parley/core";
import { type Config, type Gateway, startGateway } from "@parley/gateway";

export interface GatewayOptions {
	/** The clock of the scenario. By default, the clock of the machine. */
	readonly clock?: ManualClock;
	/** Names of root directories below the directory of the scenario. By default, `["work"]`. */
	readonly roots?: readonly string[];
	/** Model to use instead of the offline model. */
	readonly model?: Model;
	readonly failpoints?: Failpoints;
	/** Called when a client requests the gateway to stop. */
	readonly onShutdown?: () => void;
	readonly config?: Partial<Config>;
	/** Texts of files in the data directory, by name. They exist before the first start. */
	readonly data?: Readonly<Record<string, string>>;
}

export class TestGateway implements AsyncDisposable {
	readonly log = new MemoryLogger();
	/** Directory of the scenario, with `work`, `other`, `here` (the working directory at the start) and `data`. */
	readonly directory: string;
	readonly #options: GatewayOptions;
	#gateway: Gateway | undefined;
	/** Address of the newest gateway, even after it has stopped. */
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

	/** HTTP address of the gateway: `http://127.0.0.1:PORT`. */
	get url(): string {
		return this.#url;
	}

	/** Returns a path below the directory of the scenario. */
	path(...names: readonly string[]): string {
		return join(this.directory, ...names);
	}

	/** Restarts the gateway on the same data, at another port. */
	async restart(): Promise<void> {
		await this.stop();
		await this.#start();
	}

	/**
	 * Stops the gateway. Active runs have this grace time, then they are parked. Resolves when every connection is
	 * closed.
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

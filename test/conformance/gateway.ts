import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { type Clock, createIds, type Failpoints, Redactor, systemClock } from "@parley/base";
import { type ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Model } from "@parley/core";
import { type Config, type Gateway, startGateway } from "@parley/gateway";

/** Gateway options of a scenario. Default: a gateway with one root. */
export interface GatewayOptions {
	/** A clock that the scenario owns; the machine's unless told. */
	readonly clock?: ManualClock;
	/** Names of directories below the scenario's own, or none; `["work"]` unless told. */
	readonly roots?: readonly string[];
	/** Speaks instead of the offline model. */
	readonly model?: Model;
	readonly failpoints?: Failpoints;
	/** Called when a client asks the gateway to stop. */
	readonly onShutdown?: () => void;
	/** Further settings. */
	readonly config?: Partial<Config>;
	/** Texts of files in the data directory, by name, from before the first start. */
	readonly data?: Readonly<Record<string, string>>;
}

/** A gateway in this process, with directories of its own. */
export class TestGateway implements AsyncDisposable {
	readonly log = new MemoryLogger();
	/** Holds `work`, `other`, `here` (where the gateway was started) and `data`. */
	readonly directory: string;
	readonly #options: GatewayOptions;
	#gateway: Gateway | undefined;
	/** The last one, for who connects again after a restart. */
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

	/** `http://127.0.0.1:PORT`. */
	get url(): string {
		return this.#url;
	}

	/** A path below the scenario's own directory. */
	path(...names: readonly string[]): string {
		return join(this.directory, ...names);
	}

	/** Stops it, and starts it again on the same data; its port is another one then. */
	async restart(): Promise<void> {
		await this.stop();
		await this.#start();
	}

	/** Gives what runs this time, then parks it, and ends with every connection closed. */
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

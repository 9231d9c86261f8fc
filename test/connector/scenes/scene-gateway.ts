import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest, setImmediate as tick } from "node:timers/promises";
import { createIds, Redactor } from "@parley/base";
import { ManualClock, MemoryLogger, paced, pacedNow } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { type Config, type Gateway, readOperatorToken, startGateway } from "@parley/gateway";
import { type Client, createClient } from "@parley/protocol";
import type { Site, SiteParts } from "./site.ts";
import type { Scene } from "./step.ts";

/** Maximum milliseconds of one wait, in real time on an idle machine. */
const deadlineMs = 20_000;
/** After this real time, the clock of a waiting scene runs `clockFactor` times as fast as real time. */
const stallMs = paced(80);
const clockFactor = 20;

/** Policy that requires two approvals for `prod`. Only scenes about multiple approvals write there. */
const policy = {
	rules: [{ effect: "ask", when: { path: "prod/**" }, approvals: 2, reason: "two people for production" }],
};

/** A gateway that several scenes use in succession, and the clock that they share. */
export class SceneGateway implements AsyncDisposable {
	readonly clock = new ManualClock();
	readonly log = new MemoryLogger();
	readonly #sites = new Map<Scene, Site>();
	readonly #directory: string;
	/**
	 * Parent directory of the databases, in `PARLEY_TEST_MEMORY` if set. Sandboxed commands never use this directory.
	 */
	readonly memoryDirectory: string;
	readonly #config: Config;
	#gateway: Gateway | undefined;
	#port = 0;
	#operator: Client | undefined;

	static async create(
		scenes: readonly Scene[],
		siteOf: (scene: Scene, parts: SiteParts) => Site,
	): Promise<SceneGateway> {
		const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-scenes-")));
		const memoryDirectory = await mkdtemp(join(process.env["PARLEY_TEST_MEMORY"] ?? directory, "kept-"));
		const sceneGateway = new SceneGateway({ directory, memoryDirectory }, scenes, siteOf);
		for (const site of sceneGateway.#sites.values()) await mkdir(site.directory, { recursive: true });
		await mkdir(join(memoryDirectory, "data"), { recursive: true, mode: 0o700 });
		await writeFile(join(memoryDirectory, "data", "policy.jsonc"), JSON.stringify(policy), { mode: 0o600 });
		await sceneGateway.start();
		return sceneGateway;
	}

	private constructor(
		{ directory, memoryDirectory }: { readonly directory: string; readonly memoryDirectory: string },
		scenes: readonly Scene[],
		siteOf: (scene: Scene, parts: SiteParts) => Site,
	) {
		this.#directory = directory;
		this.memoryDirectory = memoryDirectory;
		for (const [index, scene] of scenes.entries()) {
			// The ids of a simulator depend on the clock, so this step gives each scene different ids.
			this.clock.advance(1000);
			const parts = { clock: this.clock, scene, directory: join(directory, `scene-${index}`) };
			this.#sites.set(scene, siteOf(scene, parts));
		}
		this.#config = this.#configOf(scenes);
	}

	has(scene: Scene): boolean {
		return this.#sites.has(scene);
	}

	site(scene: Scene): Site {
		const site = this.#sites.get(scene);
		if (!site) throw new Error(`there is no place for ${scene.name}`);
		return site;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	get operator(): Client {
		if (!this.#operator) throw new Error("the gateway does not run");
		return this.#operator;
	}

	get runs(): boolean {
		return this.#gateway !== undefined;
	}

	/** Starts the gateway, always with the same port and data. */
	async start(): Promise<void> {
		const before = this.log.records.length;
		const starting = startGateway({
			config: { ...this.#config, listen: [{ host: "127.0.0.1", port: this.#port }] },
			...{ clock: this.clock, ids: createIds(), log: this.log, redactor: new Redactor() },
			...{ version: "0.0.0", currentDirectory: this.#directory },
		});
		this.#gateway = await this.through(starting);
		this.#port = Number(new URL(this.#gateway.urls[0] ?? "").port);
		const token = (await readOperatorToken(join(this.memoryDirectory, "data"))) ?? "";
		this.#operator = createClient({ url: this.url, token, clock: this.clock, ids: createIds() });
		// Without bubblewrap, the gateway does not test the sandbox.
		if (!hasBubblewrap) return;
		// The test of the sandbox runs real processes, which do not depend on this clock.
		const isTried = () => this.log.records.slice(before).some(({ message }) => message.includes("sandbox"));
		await this.until(isTried, "the sandbox is tried", "still");
	}

	async stop(): Promise<void> {
		const [gateway, operator] = [this.#gateway, this.#operator];
		this.#gateway = undefined;
		this.#operator = undefined;
		await operator?.close();
		if (gateway) await this.through(gateway.stop(0));
	}

	/**
	 * Waits until `isTrue` returns true. After `stallMs`, advances the clock, except with `still`. Rejects after
	 * `deadlineMs`, scaled to the speed of the machine.
	 */
	async until(isTrue: () => boolean | Promise<boolean>, what: string, still?: "still"): Promise<void> {
		const startedAt = performance.now();
		let advanced = 0;
		while (!(await isTrue())) {
			const waited = performance.now() - startedAt;
			// Repeats the measurement of the pace, because the machine may have become busier.
			if (waited > paced(deadlineMs) && waited > pacedNow(deadlineMs))
				throw new Error(`gave up after ${deadlineMs / 1000} s of an idle machine: ${what}`);
			const due = still ? 0 : Math.max(0, Math.floor((waited - stallMs) * clockFactor));
			// Limits the step: while the test process was suspended, the gateway and the connector did not run either.
			this.clock.advance(Math.min(100, due - advanced));
			advanced = due;
			// Checks in every turn of the event loop would take CPU time from the processes that the scene waits for.
			await rest(1);
		}
	}

	/** Advances the clock like `until` until `work` has settled. */
	async through<Value>(work: Promise<Value>): Promise<Value> {
		let isOver = false;
		const settle = (): void => {
			isOver = true;
		};
		work.then(settle, settle);
		await this.until(() => isOver, "it comes to an end");
		return work;
	}

	/** Advances the clock by `ms` in small steps. Runs several turns of the event loop after each step. */
	async pass(ms: number): Promise<void> {
		const step = Math.min(5000, Math.max(50, ms / 200));
		for (let remaining = ms; remaining > 0; remaining -= step) {
			this.clock.advance(Math.min(step, remaining));
			for (let turn = 0; turn < 8; turn++) await tick();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		await rm(this.memoryDirectory, { recursive: true, force: true });
		await rm(this.#directory, { recursive: true, force: true });
	}

	#configOf(scenes: readonly Scene[]): Config {
		const sites = [...this.#sites.values()];
		const publicUrl = scenes.find((scene) => scene.publicUrl !== undefined)?.publicUrl;
		return {
			listen: [],
			...{ data: join(this.memoryDirectory, "data"), root: sites.map(({ directory }) => directory) },
			...{ provider: "offline", auth: "token", logLevel: "silent", allowedHosts: [], titles: false },
			sandbox: hasBubblewrap ? "required" : "off",
			...(publicUrl !== undefined && { publicUrl }),
			chat: {
				allow: sites.flatMap(({ rules }) => rules),
				deny: [],
				tenants: Object.fromEntries(
					[...Map.groupBy(sites, ({ platform }) => platform)].map(([platform, of]) => [
						platform,
						[...new Set(of.flatMap(({ tenants }) => tenants))],
					]),
				),
				places: Object.fromEntries(
					sites.flatMap(({ place, otherPlace }) => (otherPlace ? [place, otherPlace] : [place])),
				),
				notices: Object.fromEntries(sites.flatMap(({ notices }) => (notices ? [notices] : []))),
				typedApprovals: !scenes.some(({ typedApprovals }) => typedApprovals === "off"),
				welcome: { posts: scenes.some(({ welcome = false }) => welcome), prompts: [] },
			},
		};
	}
}

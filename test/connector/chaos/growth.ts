import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { afterPatience, ManualClock } from "@parley/base/testing";
import { ScriptedGateway } from "@parley/connector/testing";
import { type Fate, KillableConnector, type PlatformProcess } from "./killable-connector.ts";

export interface SeenPost {
	readonly id: string;
	readonly text: string;
	readonly buttons: readonly string[];
	readonly streaming?: boolean;
}

export interface GrowthPlatform {
	nextProcess(isLost: boolean): PlatformProcess;
	/**
	 * Starts to inject faults: some requests fail or are delayed, and some events are duplicated or reordered.
	 */
	break(): void;
	heal(): void;
	ask(text: string): void;
	posts(): readonly SeenPost[];
	drainViolations(): readonly string[];
}

export interface Death extends Fate {
	readonly losesDatabase: boolean;
}

/** Part of a growing reply. No complete answer contains it. */
export const part = "A part of a reply. ";

export type GrowingSession = ScriptedGateway["sessions"][number];

const greeting = "Good morning.";
const quietTurns = 12;
const partMs = 250;
/**
 * Virtual milliseconds after which unfinished work is a fault. Edits of the previous process, including retries,
 * arrive earlier.
 */
const longestMs = 300_000;
/**
 * Real milliseconds that must also pass, because the virtual clock may pass `longestMs` during one disk write on a
 * busy machine.
 */
const patienceMs = 10_000;

/** Runs a connector with growing answers through a series of deaths. */
export class Growth {
	readonly gateway: ScriptedGateway;
	readonly #clock = new ManualClock();
	readonly #platform: GrowthPlatform;
	readonly #directory: string;
	#killable: KillableConnector | undefined;
	#deaths: readonly Death[] = [];
	#before: ReadonlySet<string> | undefined;
	#first: string | undefined;
	#isDead = false;

	constructor(open: (clock: ManualClock) => GrowthPlatform, directory: string) {
		this.gateway = new ScriptedGateway(this.#clock);
		this.#platform = open(this.#clock);
		this.#directory = directory;
	}

	/** Plays one run in the first process, after which the connector knows the channel. */
	async begin(): Promise<void> {
		await this.#start(true);
		await this.pass(5000);
		this.#platform.ask("hello");
		const session = await this.#run();
		session.end({ content: greeting });
		// A new process delays its edits until edits of the previous process can no longer arrive.
		await this.pass(20_000);
		this.#before = new Set(this.#platform.posts().map(({ id }) => id));
	}

	/** Plans the deaths of the next processes. With `isBroken`, the platform also starts to inject faults. */
	disturb(deaths: readonly Death[], { isBroken = false } = {}): void {
		this.#deaths = deaths;
		this.#arm();
		if (isBroken) this.#platform.break();
	}

	async ask(): Promise<GrowingSession> {
		this.#platform.ask("go on");
		return this.#run();
	}

	/**
	 * Stops the injected faults, and waits until all deliveries are complete. Returns the number of hits of each failpoint in
	 * the last process.
	 */
	async finish(): Promise<ReadonlyMap<string, number>> {
		this.#platform.heal();
		await this.#until(() => this.#isDone());
		await this.pass(5000);
		await this.#until(() => this.#isDone());
		return new Map(this.#killable?.reached);
	}

	async close(): Promise<void> {
		await this.#killable?.stop();
		await rm(join(this.#directory, "connectors"), { recursive: true });
	}

	get deathsLeft(): number {
		return this.#deaths.length;
	}

	get first(): string | undefined {
		return this.#first;
	}

	posts(): readonly SeenPost[] {
		return this.#platform.posts().filter(({ id }) => !this.#before?.has(id));
	}

	async judge(): Promise<string[]> {
		const unfinished = this.posts().filter(
			({ text, buttons, streaming = false }) =>
				streaming || text.includes(part.trim()) || buttons.includes("Stop"),
		);
		const { connector } = (await this.#killable?.status()) ?? {};
		const repeated = this.posts().filter(({ text }) => text.includes(greeting));
		return [
			...repeated.map(({ text }) => `an earlier answer is posted again: ${text}`),
			...unfinished.map(({ text }) => `an answer is unfinished: ${text.slice(0, 100)}`),
			...(connector?.stuck ?? []).map(({ id, reason }) => `${id} is stuck: ${reason}`),
			...this.#platform.drainViolations(),
		];
	}

	async pass(ms: number): Promise<void> {
		for (let remaining = ms; remaining > 0; remaining -= partMs) {
			await this.#quiet();
			// The first step is short, because work such as concurrent commits takes only milliseconds.
			this.#clock.advance(25);
			await this.#quiet();
			this.#clock.advance(partMs - 25);
			await this.#quiet();
			if (this.#before !== undefined) this.#first ??= this.posts()[0]?.id;
			if (this.#isDead) await this.#replace();
		}
	}

	async #run(): Promise<GrowingSession> {
		const isAtWork = (): boolean => this.gateway.sessions.some(({ runs }) => runs.length > 0);
		await this.#until(isAtWork);
		return this.gateway.newest;
	}

	async #isDone(): Promise<boolean> {
		const { connector } = (await this.#killable?.status()) ?? {};
		const undecided = connector?.stuck.filter(({ state }) => state === "held").length ?? 0;
		return connector !== undefined && connector.waiting === 0 && connector.open === undecided;
	}

	async #until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
		const limit = this.#clock.now() + longestMs;
		let isOver = false;
		const cancel = afterPatience(patienceMs, () => {
			isOver = true;
		});
		try {
			while (!(await isTrue())) {
				if (isOver && this.#clock.now() > limit) throw new Error("the work does not end");
				await this.pass(1000);
			}
		} finally {
			cancel();
		}
	}

	async #quiet(): Promise<void> {
		for (let turn = 0; turn < quietTurns; turn++) await tick();
	}

	async #start(isLost: boolean): Promise<void> {
		const killable = new KillableConnector({
			...{ process: this.#platform.nextProcess(isLost), gateway: this.gateway, clock: this.#clock },
			...{ dataDir: this.#directory, chance: () => 0.5 },
			died: () => {
				this.#isDead = true;
			},
		});
		this.#killable = killable;
		await killable.begin();
	}

	#arm(): void {
		this.#killable?.arm(this.#deaths[0] ?? { place: "", hit: 0 });
	}

	async #replace(): Promise<void> {
		const isLost = this.#deaths[0]?.losesDatabase ?? false;
		this.#isDead = false;
		this.#deaths = this.#deaths.slice(1);
		await this.#through(this.#killable?.stop());
		if (isLost) await rm(join(this.#directory, "connectors"), { recursive: true });
		await this.#through(this.#start(isLost));
		this.#arm();
	}

	/**
	 * Advances the clock until `work` has settled. Stops after 200 steps, because the work of a dead process may
	 * never settle.
	 */
	async #through(work: Promise<void> | undefined): Promise<void> {
		let isOver = false;
		const settle = (): void => {
			isOver = true;
		};
		work?.then(settle, settle);
		for (let turn = 0; turn < 200 && !isOver; turn++) {
			this.#clock.advance(20);
			await this.#quiet();
		}
	}
}

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { definedItems } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { ScriptedGateway } from "@parley/connector/testing";
import { Random } from "../../random.ts";
import { isFrequent, KillableConnector, type PlatformProcess, places } from "./killable-connector.ts";
import type { PendingActions } from "./pending-actions.ts";
import type { SeenGrowth } from "./seen-growth.ts";
import { Work } from "./work.ts";

const steps = 70;
const maxExtraSteps = 200;
/** Desired minimum number of edits or stream additions of one answer. */
const leastGrowth = 3;
const quietTurns = 12;
/**
 * Distance between the failpoints of two consecutive seeds, coprime to the number of failpoints. Therefore, the seeds
 * use all failpoints.
 */
const placeStride = 4;
const shortMs = 25;

class MillisecondClock extends ManualClock {
	override now(): number {
		return Math.floor(super.now());
	}
}

export interface ChaosPeople {
	readonly rooms: readonly { readonly id: string }[];
	readonly pendingActions: PendingActions;
	readonly messages: { databaseLost(): void };
	readonly requesters: readonly { readonly id: string; readonly name: string }[];
	/** Sends a message to the connector in each room, so that the connector stores the rooms. */
	greet(): void;
	act(): void;
}

export interface ChaosPlatform<Simulator, People extends ChaosPeople> {
	readonly name: "discord" | "slack";
	readonly simulator: Simulator;
	readonly people: People;
	/** Ids of the guilds or teams that contain the rooms, as in session keys. */
	readonly tenants: readonly string[];
	/**
	 * Virtual milliseconds within which the connector stores all actions. Some responses may still be pending
	 * then.
	 */
	readonly calmMs: number;
	/** Virtual milliseconds after which unfinished work is a fault. */
	readonly longestMs: number;
	readonly cuts: readonly (() => void)[];
	readonly growth: SeenGrowth;
	/** Number of requests with an injected fault. */
	readonly failed: number;
	/**
	 * Starts to inject faults: some requests fail or are delayed, and some events are duplicated or reordered.
	 */
	break(): void;
	heal(): void;
	/**
	 * Creates the next process of the connector. With `isLost`, the new process does not resume the platform session of
	 * the previous process.
	 */
	nextProcess(isLost: boolean): PlatformProcess;
	/** Returns faults about deleted messages. Valid only when the connector has stored all actions. */
	judgeRemoved(run: ChaosRun<Simulator, People>): string[];
}

export interface ChaosPlatformParts {
	readonly clock: ManualClock;
	readonly random: Random;
	readonly seed: number;
}

export interface ChaosPlan<Simulator, People extends ChaosPeople> {
	readonly seed: number;
	readonly directory: string;
	readonly kills: number;
	openPlatform(parts: ChaosPlatformParts): ChaosPlatform<Simulator, People>;
}

/**
 * One chaos run: the platform with its people, the gateway, and the disk, which outlive the connector
 * processes.
 */
export class ChaosRun<Simulator, People extends ChaosPeople> {
	readonly simulator: Simulator;
	readonly gateway: ScriptedGateway;
	readonly people: People;
	readonly work: Work;
	readonly growth: SeenGrowth;
	readonly deaths: string[] = [];
	/** Outbox rows that wait for the operator or were given up at the end of the run. */
	stuck: readonly string[] = [];
	readonly faults: string[] = [];
	readonly #platform: ChaosPlatform<Simulator, People>;
	readonly #clock = new MillisecondClock();
	readonly #random: Random;
	readonly #directory: string;
	readonly #seed: number;
	#killable: KillableConnector | undefined;
	#kills: number;
	#armed = 0;
	#losses = 0;

	constructor({ seed, directory, kills, openPlatform }: ChaosPlan<Simulator, People>) {
		this.#random = new Random(seed);
		this.#seed = seed;
		this.#kills = kills;
		this.#platform = openPlatform({ clock: this.#clock, random: this.#random, seed });
		const { name, simulator, people } = this.#platform;
		this.#directory = join(directory, `${name}-${seed}`);
		this.simulator = simulator;
		this.growth = this.#platform.growth;
		this.people = people;
		this.gateway = new ScriptedGateway(this.#clock);
		for (const { id } of people.rooms) {
			for (const tenant of this.#platform.tenants) {
				const facts = { mention: "required", sessions: "shared", busy: "offer" } as const;
				this.gateway.facts.set(`${tenant}:${id}`, facts);
			}
		}
		this.work = new Work(this.gateway, this.#random, this.#clock, { name, ...people });
	}

	async play(): Promise<void> {
		await mkdir(this.#directory, { recursive: true });
		const killable = await this.#begin(true);
		await this.#pass(5000);
		// The connector must know each room before faults begin, because a lost connection may lose the first message of
		// an unknown channel.
		this.people.greet();
		await this.#pass(30_000);
		for (const session of this.gateway.sessions) this.work.trust.grantTrust(session);
		this.#arm(killable);
		this.#platform.break();
		for (let step = 0; step < steps; step++) await this.#step();
		for (let step = 0; step < maxExtraSteps && this.growth.longest < leastGrowth; step++)
			await this.#extraStep();
		await this.#heal();
		const { connector } = (await this.#killable?.status()) ?? {};
		this.stuck = (connector?.stuck ?? []).map(({ id, state, reason }) => `${id} is ${state}: ${reason}`);
		await this.#killable?.stop();
		await rm(this.#directory, { recursive: true });
	}

	/** Returns the kinds of events in this run, such as the death of a process, for statistics over many runs. */
	get happened(): readonly string[] {
		const { tasks } = this.work.tasks;
		const answered = this.gateway.sessions
			.flatMap(({ frames }) => frames)
			.some(({ event }) => event === "prompt.response");
		return definedItems(
			[
				this.growth.longest >= leastGrowth && "an answer has grown by several changes",
				this.growth.streamed > 0 && "an answer has grown as a stream of the platform",
				this.work.earlier.length > 0 && "an answer has called a tool",
				answered && "a person or the operator has answered a question",
				tasks.some(({ end }) => end !== undefined) && "a task has ended",
				this.deaths.length > 0 && "a process has died",
				this.#losses > 0 && "the database was lost",
				this.#platform.failed > 0 && "a request to the platform has failed",
			].map((kind) => kind || undefined),
		);
	}

	get log(): readonly string[] {
		const records = this.#killable?.log.records ?? [];
		return records
			.filter(({ level }) => level !== "debug")
			.map(({ level, message, fields }) => `${level} ${message} ${written(fields)}`);
	}

	async #extraStep(): Promise<void> {
		if (this.#killable?.end !== undefined) await this.#remove();
		// The gateway is reachable, so that an answer can grow.
		this.gateway.away = false;
		if (this.#random.chance(0.3)) this.people.act();
		this.work.proceed();
		await this.#pass(3000);
	}

	async #step(): Promise<void> {
		if (this.#killable?.end !== undefined) await this.#remove();
		const chance = this.#random.next();
		if (chance < 0.45) this.people.act();
		else if (chance < 0.85) this.work.proceed();
		else this.#disturb();
		await this.#pass(this.#random.pick([0, 50, 700, 3000, 9000]));
	}

	#disturb(): void {
		const { cuts } = this.#platform;
		this.people.pendingActions.disturbed();
		const kind = this.#random.below(2 * cuts.length + 1);
		const cut = cuts[kind];
		if (cut) cut();
		else if (kind === cuts.length) this.#killable?.die("a kill");
		else this.gateway.away = !this.gateway.away;
	}

	async #heal(): Promise<void> {
		const { calmMs, longestMs } = this.#platform;
		this.#kills = 0;
		this.#platform.heal();
		this.gateway.away = false;
		this.#killable?.die("a kill");
		await this.#remove();
		const end = this.#clock.now() + longestMs;
		await this.#pass(calmMs);
		this.faults.push(...this.#platform.judgeRemoved(this));
		// The last actions may still cause posts, so the work must be complete in two consecutive checks.
		for (let done = 0; done < 2; done = (await this.#isDone()) ? done + 1 : 0) {
			this.work.finish();
			await this.#pass(20_000);
			if (this.#clock.now() > end) {
				this.faults.push("it never ends");
				return;
			}
		}
	}

	async #isDone(): Promise<boolean> {
		const { connector } = (await this.#killable?.status()) ?? {};
		const undecided = connector?.stuck.filter(({ state }) => state === "held").length ?? 0;
		return (
			connector !== undefined && connector.waiting === 0 && connector.open === undecided && this.work.isDone
		);
	}

	async #pass(ms: number): Promise<void> {
		await this.#quiet();
		const part = Math.max(100, ms > 60_000 ? 5000 : ms / 6);
		for (let remaining = ms; remaining > 0; remaining -= part) {
			// The first step is short, because work such as concurrent commits takes only milliseconds.
			this.#clock.advance(shortMs);
			await this.#quiet();
			this.#clock.advance(Math.max(0, Math.min(remaining, part) - shortMs));
			await this.#quiet();
			this.people.pendingActions.judge();
			this.work.stream();
		}
	}

	async #quiet(): Promise<void> {
		for (let turn = 0; turn < quietTurns; turn++) await tick();
	}

	async #begin(isLost: boolean): Promise<KillableConnector> {
		const killable = new KillableConnector({
			...{ process: this.#platform.nextProcess(isLost), gateway: this.gateway, clock: this.#clock },
			...{ dataDir: this.#directory, chance: () => this.#random.next() },
			died: () => this.people.pendingActions.disturbed(),
		});
		this.#killable = killable;
		await killable.begin();
		return killable;
	}

	#arm(killable: KillableConnector): void {
		this.#kills -= 1;
		if (this.#kills < 0) return;
		this.#armed += 1;
		// Uses the failpoints in turn. A few seeds then cover all of them.
		const place = places[(this.#seed * placeStride + this.#armed) % places.length] ?? "";
		killable.arm({ place, hit: this.#random.between(1, isFrequent(place) ? 60 : 5) });
	}

	async #remove(): Promise<void> {
		const killable = this.#killable;
		if (killable?.end === undefined) return;
		this.deaths.push(killable.end);
		await this.#through(killable.stop());
		const isLost = this.#kills > 0 && this.#random.chance(0.2);
		if (isLost) {
			this.#losses += 1;
			this.people.messages.databaseLost();
			await rm(join(this.#directory, "connectors"), { recursive: true });
		}
		this.#arm(await this.#begin(isLost));
	}

	/**
	 * Advances the clock until `work` has settled. Stops after 200 steps, because the work of a dead process may
	 * never settle.
	 */
	async #through(work: Promise<void>): Promise<void> {
		let isOver = false;
		const settle = (): void => {
			isOver = true;
		};
		work.then(settle, settle);
		for (let turn = 0; turn < 200 && !isOver; turn++) {
			this.#clock.advance(100);
			await this.#quiet();
		}
	}
}

function written(fields: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value));
}

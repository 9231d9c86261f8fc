import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { ScriptedGateway } from "@parley/connector/testing";
import { Random } from "../../random.ts";
import type { Fault } from "../../simulators/discord/rest/network.ts";
import { World } from "../../simulators/discord/world/world.ts";
import { judgeDeleted } from "./judge-messages.ts";
import { KeptSession } from "./kept-session.ts";
import { Life, places } from "./life.ts";
import { People } from "./people.ts";
import { Work } from "./work.ts";

const steps = 70;
const quietTurns = 12;
/** Without a common divisor with the number of places. */
const lifeStride = 4;
/** Of virtual time: what was done before is taken then, though nothing of it is answered yet. */
const calmMs = 60_000;
const shortMs = 25;
/** Of virtual time: longer than anything waits that is to happen by itself. */
const longestMs = 20 * 60_000;

/** What falls due after a part of a millisecond is not seen to: a machine's clock has none. */
class WholeClock extends ManualClock {
	override now(): number {
		return Math.floor(super.now());
	}
}

/** All that outlives a process of the connector: Discord with its people, the gateway, and the disk. */
export class Street {
	readonly world: World;
	readonly gateway: ScriptedGateway;
	readonly people: People;
	readonly work: Work;
	readonly deaths: string[] = [];
	/** What waits for a person to decide in the end, and what was given up. */
	stuck: readonly string[] = [];
	/** What went wrong on the way, in words. */
	readonly faults: string[] = [];
	readonly #clock = new WholeClock();
	readonly #random: Random;
	readonly #directory: string;
	#life: Life | undefined;
	#session = new KeptSession(undefined);
	readonly #seed: number;
	#kills: number;
	#lives = 0;

	constructor(seed: number, directory: string, kills: number) {
		this.#random = new Random(seed);
		this.#directory = join(directory, String(seed));
		this.#seed = seed;
		this.#kills = kills;
		// Discord's own minutes would hide what is sent twice.
		this.world = new World({ clock: this.#clock, seed, settings: { nonceMs: 1000 } });
		this.gateway = new ScriptedGateway(this.#clock);
		this.people = new People(this.world, this.#random);
		this.work = new Work(this.gateway, this.#random, this.#clock);
	}

	/** Everything happens, and in the end all is calm and done. */
	async play(): Promise<void> {
		await mkdir(this.#directory, { recursive: true });
		const life = await this.#begin();
		await this.#pass(5000);
		// What is said where the connector was never told anything is lost with Discord's session.
		this.people.greet();
		await this.#pass(30_000);
		for (const session of this.gateway.sessions) this.work.trust.give(session);
		this.#arm(life);
		this.#break();
		for (let step = 0; step < steps; step++) await this.#step();
		await this.#mend();
		const { connector } = (await this.#life?.status()) ?? {};
		this.stuck = (connector?.stuck ?? []).map(({ id, state, reason }) => `${id} is ${state}: ${reason}`);
		await this.#life?.stop();
		await rm(this.#directory, { recursive: true });
	}

	/** What the last process said, for who looks for a fault. */
	get log(): readonly string[] {
		const records = this.#life?.log.records ?? [];
		return records
			.filter(({ level }) => level !== "debug")
			.map(({ level, message, fields }) => `${level} ${message} ${written(fields)}`);
	}

	async #step(): Promise<void> {
		if (this.#life?.end !== undefined) await this.#bury();
		const chance = this.#random.next();
		if (chance < 0.45) this.people.act();
		else if (chance < 0.85) this.work.goOn();
		else this.#disturb();
		await this.#pass(this.#random.pick([0, 50, 700, 3000, 9000]));
	}

	/** Something between the connector and the others. */
	#disturb(): void {
		const { gateway: discord } = this.world;
		this.people.disturbed();
		const kind = this.#random.below(7);
		if (kind === 0) discord.drop();
		else if (kind === 1) discord.reconnect();
		else if (kind === 2) discord.invalidate(this.#random.chance(0.5));
		else if (kind === 3) this.#life?.die("a kill");
		else this.gateway.away = !this.gateway.away;
	}

	#break(): void {
		this.world.gateway.unruly({ duplicate: 0.2, reorder: 0.2 });
		this.world.network.each((label) => this.#faultOf(label));
	}

	#faultOf(label: string): Fault | undefined {
		if (!this.#random.chance(0.12)) return undefined;
		if (label.includes("/interactions/")) this.people.disturbed();
		return this.#random.pick<Fault>([
			{ drop: "before" },
			{ drop: "after-commit" },
			{ status: 502 },
			{ status: 503, drop: "after-commit" },
			{ status: 429, retryAfter: 700 },
			{ status: 429, retryAfter: 300, scope: "global" },
			{ delayMs: 2000 },
		]);
	}

	async #mend(): Promise<void> {
		this.#kills = 0;
		this.world.network.heal();
		this.world.gateway.unruly({});
		this.gateway.away = false;
		this.#life?.die("a kill");
		await this.#bury();
		const end = this.#clock.now() + longestMs;
		await this.#pass(calmMs);
		this.faults.push(...judgeDeleted(this));
		// What is done last may still have to be told.
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
		const { connector } = (await this.#life?.status()) ?? {};
		const held = connector?.stuck.filter(({ state }) => state === "held").length ?? 0;
		return connector !== undefined && connector.waiting === 0 && connector.open === held && this.work.isDone;
	}

	async #pass(ms: number): Promise<void> {
		await this.#quiet();
		const part = Math.max(100, ms / 6);
		for (let left = ms; left > 0; left -= part) {
			// What waits for some milliseconds, as commits in a crowd do, does not wait for seconds.
			this.#clock.advance(shortMs);
			await this.#quiet();
			this.#clock.advance(Math.max(0, Math.min(left, part) - shortMs));
			await this.#quiet();
			this.people.look();
		}
	}

	async #quiet(): Promise<void> {
		for (let turn = 0; turn < quietTurns; turn++) await tick();
	}

	async #begin(): Promise<Life> {
		const life = new Life({
			...{ world: this.world, gateway: this.gateway, session: this.#session, dataDir: this.#directory },
			...{ chance: () => this.#random.next(), died: () => this.people.disturbed() },
		});
		this.#life = life;
		await life.begin();
		return life;
	}

	#arm(life: Life): void {
		this.#kills -= 1;
		if (this.#kills < 0) return;
		this.#lives += 1;
		// Each place has its turn, however few seeds there are.
		const place = places[(this.#seed * lifeStride + this.#lives) % places.length] ?? "";
		// Commits are many; every other place is reached a few times.
		life.arm({ place, hit: this.#random.between(1, place.startsWith("store") ? 60 : 5) });
	}

	/** What is left of a process goes, and the next one begins, perhaps without its database. */
	async #bury(): Promise<void> {
		const life = this.#life;
		if (life?.end === undefined) return;
		this.deaths.push(life.end);
		await this.#through(life.stop());
		this.#session = new KeptSession(this.#session.left);
		if (this.#kills > 0 && this.#random.chance(0.2)) {
			this.people.messages.databaseLost();
			this.#session = new KeptSession(undefined);
			await rm(join(this.#directory, "connectors"), { recursive: true });
		}
		this.#arm(await this.#begin());
	}

	/** Time goes on until it is over. What cannot end because the process is dead is left. */
	async #through(work: Promise<void>): Promise<void> {
		let isOver = false;
		const over = (): void => {
			isOver = true;
		};
		work.then(over, over);
		for (let turn = 0; turn < 200 && !isOver; turn++) {
			this.#clock.advance(100);
			await this.#quiet();
		}
	}
}

function written(fields: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value));
}

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteStore, ParleyError, silentLogger } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import {
	type ConnectorTables,
	connectorMigrations,
	Inbox,
	markdownDialect,
	Outbox,
	type QueuedEvent,
} from "@parley/connector";
import { Random } from "../../random.ts";
import { eventsOf, startedAt } from "./events.ts";
import { type Fate, frequentPlaces, KillableOutbox, places } from "./killable-outbox.ts";
import { Network } from "./network.ts";
import { Platform } from "./platform.ts";

const sessions = ["ada", "bob", "eve"];
const eventCount = 10;
const inboundCount = 16;
const maxSteps = 3000;

/** One delivery run: the platform, the gateway and the disk, which outlive the connector processes. */
export class DeliveryRun {
	readonly platform: Platform;
	readonly deaths: string[] = [];
	readonly events: ReadonlyMap<string, ReturnType<typeof eventsOf>>;
	/** Ids of events that reached the gateway, by conversation, in the order of their first arrival. */
	readonly received = new Map<string, string[]>();
	readonly inbound: readonly QueuedEvent[];
	readonly network: Network;
	readonly #clock = new ManualClock(startedAt);
	readonly #random: Random;
	readonly #directory: string;
	/** Highest `seq` that any process has planned, by session. */
	readonly #planned = new Map<string, number>();
	#awayUntil = 0;
	#databases = 0;

	constructor(seed: number, directory: string) {
		this.#random = new Random(seed);
		this.#directory = join(directory, String(seed));
		this.platform = new Platform(this.#clock, this.#random);
		this.events = new Map(sessions.map((name, n) => [name, eventsOf(seed + n, name, eventCount)]));
		this.inbound = Array.from({ length: inboundCount }, (_, n) => ({
			...{ id: `message ${n}`, conversation: this.#random.pick(sessions), data: { n } },
		}));
		this.network = new Network(this.#random, this.inbound);
	}

	/** Runs processes until the work is complete. At most `kills` processes die or are stopped. */
	async play(kills: number): Promise<void> {
		await mkdir(this.#directory, { recursive: true });
		for (let remaining = kills; ; remaining--) {
			const place = this.#random.pick(places);
			const hit = this.#random.between(1, frequentPlaces.includes(place) ? 30 : 5);
			if (remaining === 0) this.platform.calm = this.#random.chance(0.5);
			if (await this.#live(remaining > 0 ? { place, hit } : undefined)) break;
			if (this.#random.chance(0.15)) this.#loseDatabase();
		}
		await rm(this.#directory, { recursive: true });
	}

	#loseDatabase(): void {
		this.#databases += 1;
		this.network.loseDatabase();
	}

	/** Runs one process. Returns true if it neither died nor was stopped. */
	async #live(fate: Fate | undefined): Promise<boolean> {
		const file = join(this.#directory, `${this.#databases}.sqlite`);
		const store = await openSqliteStore<ConnectorTables>({ file, migrations: connectorMigrations });
		const killable = new KillableOutbox(store, this.platform, fate);
		await Promise.race([this.#work(killable), killable.death]);
		await killable.quiet();
		await store.close();
		const end = killable.end ?? killable.stop;
		if (end !== undefined) this.deaths.push(end);
		return end === undefined;
	}

	async #work(killable: KillableOutbox): Promise<void> {
		const { store, surface } = killable;
		const parts = { store, clock: this.#clock, chance: () => this.#random.next(), log: silentLogger };
		const posting = { surface, dialect: markdownDialect, failpoints: killable };
		const outbox = await Outbox.start({ ...parts, ...posting });
		const handle = (event: QueuedEvent) => this.#receive(event, killable);
		const inbox = await Inbox.start({ ...parts, handle, failpoints: killable, parallel: 2 });
		for (let step = 0; !(killable.isToStop(step) || (await this.#isDone(killable))); step++) {
			if (step > maxSteps) throw new Error("it never ends");
			if (this.#random.chance(0.4)) await this.#plan(outbox);
			if (this.#random.chance(0.4)) await this.network.deliver((event) => inbox.accept(event));
			if (this.#random.chance(0.02)) this.#awayUntil = this.#clock.now() + this.#random.between(1, 20_000);
			if (this.#random.chance(0.2)) await outbox.typing(this.#random.pick(sessions));
			await killable.quiet();
			this.#clock.advance(this.#random.pick([20, 300, 2000, 6000]));
			await killable.quiet();
		}
		await this.#ended(Promise.all([outbox.stop(), inbox.stop()]));
	}

	async #ended(stopping: Promise<unknown>): Promise<void> {
		let hasEnded = false;
		void stopping.then(() => {
			hasEnded = true;
		});
		// Until the process has stopped, it may receive responses to open requests.
		while (!hasEnded) {
			this.#clock.advance(500);
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/**
	 * Plans the rows of the next events in a random session. Like a gateway that replays, includes up to two events
	 * before the cursor.
	 */
	async #plan(outbox: Outbox): Promise<void> {
		if (this.#isAway) return;
		const session = this.#random.pick(sessions);
		const events = this.events.get(session) ?? [];
		const cursor = await outbox.cursor(session);
		const first = Math.max(0, cursor - this.#random.below(3));
		const last = Math.min(events.length, cursor + this.#random.below(4));
		const planned = this.#planned.get(session) ?? 0;
		// Rows that an earlier process may have sent are planned in a separate call, with `replayed`.
		const seq = cursor < planned ? Math.min(last, planned) : last;
		this.#planned.set(session, Math.max(planned, seq));
		await outbox.plan({
			conversation: session,
			cursor: { session, seq },
			rows: events.slice(first, seq).flat(),
			replayed: cursor < planned,
		});
	}

	async #receive(event: QueuedEvent, killable: KillableOutbox): Promise<void> {
		const { conversation } = event;
		if (killable.end !== undefined) return new Promise(() => undefined);
		const lost = new ParleyError("the gateway is away", { code: "unavailable" });
		if (this.#isAway || this.#random.chance(0.1)) throw lost;
		const received = this.received.get(conversation) ?? [];
		// Like the gateway, ignores a repeated event with the same id.
		if (!received.includes(event.id)) {
			this.received.set(conversation, [...received, event.id]);
			this.network.receive(event);
		}
		if (this.#random.chance(0.1)) throw lost;
	}

	get #isAway(): boolean {
		return this.#clock.now() < this.#awayUntil;
	}

	async #isDone({ store }: KillableOutbox): Promise<boolean> {
		if (!this.network.isQuiet) return false;
		return store.read(async (db) => {
			const cursors = await db.selectFrom("cursors").select("seq").execute();
			const isSent = cursors.filter(({ seq }) => seq === eventCount).length === sessions.length;
			const open = await db
				.selectFrom("outbox")
				.select("id")
				.where("state", "in", ["planned", "attempted", "unknown"])
				.limit(1)
				.execute();
			const waiting = await db
				.selectFrom("inbound")
				.select("id")
				.where("state", "=", "waiting")
				.limit(1)
				.execute();
			return isSent && open.length === 0 && waiting.length === 0;
		});
	}
}

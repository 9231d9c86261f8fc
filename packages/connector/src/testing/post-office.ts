import { type Failpoints, noFailpoints, type Store } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { Outbox } from "../outbox/outbox.ts";
import type { Plan, PlannedRow } from "../outbox/plan.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { markdownDialect as dialect } from "../text/markdown-dialect.ts";
import { openSqlite, WatchedStore } from "./open-stores.ts";
import { ScriptedSurface } from "./scripted-surface.ts";

/** An outbox with a store, a surface and a clock. Each call of `plan` is the next event of one session. */
export class PostOffice {
	readonly surface: ScriptedSurface;
	readonly clock: ManualClock;
	readonly log: MemoryLogger;
	readonly store: WatchedStore;
	outbox: Outbox;
	#seq = 0;

	static async open(
		open: () => Promise<Store<ConnectorTables>> = openSqlite,
		failpoints: Failpoints = noFailpoints,
	): Promise<PostOffice> {
		const store = new WatchedStore(await open());
		const [surface, clock, log] = [new ScriptedSurface(), new ManualClock(), new MemoryLogger()];
		const parts = { store, surface, dialect, clock, log, chance: () => 0 };
		return new PostOffice(parts, await Outbox.start({ ...parts, failpoints }));
	}

	private constructor(
		parts: { store: WatchedStore; surface: ScriptedSurface; clock: ManualClock; log: MemoryLogger },
		outbox: Outbox,
	) {
		this.store = parts.store;
		this.surface = parts.surface;
		this.clock = parts.clock;
		this.log = parts.log;
		this.outbox = outbox;
	}

	/** Simulates that the process was killed: starts another outbox on the same store. */
	async restart(): Promise<void> {
		const { store, surface, clock, log } = this;
		this.outbox = await Outbox.start({ store, surface, dialect, clock, log, chance: () => 0 });
		await store.quiet();
	}

	async plan(rows: readonly Partial<PlannedRow>[], plan: Partial<Plan> = {}): Promise<void> {
		this.#seq += 1;
		const event = { seq: this.#seq, at: this.clock.now(), lane: "final", payload: "…" } as const;
		const cursor = { session: "sess_1", seq: this.#seq };
		const conversation = "general";
		const completePlan = { conversation, cursor, rows: rows.map((row) => ({ ...event, ...row })), ...plan };
		await this.outbox.plan(completePlan);
		await this.store.quiet();
	}

	async pass(ms: number): Promise<void> {
		this.clock.advance(ms);
		await this.store.quiet();
	}

	get shown(): unknown[] {
		return this.surface.posts.map(({ payload }) => payload);
	}
}

import { setImmediate as tick } from "node:timers/promises";
import type { Failpoints, Store } from "@parley/base";
import type { ConnectorTables, OutboxRow, Surface } from "@parley/connector";

type ConnectorStore = Store<ConnectorTables>;

const quietTicks = 4;

const stop = "a stop";

export const frequentPlaces: readonly string[] = [stop, "before a commit", "after a commit"];

/** Places at which a process can die or, at `stop`, is stopped. */
export const places = [
	...frequentPlaces,
	...["claim", "claimed", "answered", "look", "looked", "settled"].map((name) => `outbox.${name}`),
	...["insert", "inserted", "handle", "handled", "done"].map((name) => `inbound.${name}`),
];

/**
 * Place at which a process dies or is stopped. `hit` is the number of hits of the place or, for `stop`, the number of
 * steps.
 */
export interface Fate {
	readonly place: string;
	readonly hit: number;
}

/**
 * One connector process. It dies at its planned place: a failpoint, or a moment before or after a commit. After that,
 * it cannot reach the database or the platform, and its promises never settle.
 */
export class KillableOutbox implements Failpoints {
	readonly store: ConnectorStore;
	readonly surface: Surface;
	/** Place of the death. Undefined if the process did not die. */
	end: string | undefined;
	/** The place `stop` after a graceful stop. Undefined without such a stop. */
	stop: string | undefined;
	readonly death: Promise<void>;
	readonly #die: () => void;
	readonly #fate: Fate | undefined;
	#hits = 0;
	#inFlight = 0;

	constructor(store: ConnectorStore, surface: Surface, fate: Fate | undefined) {
		this.#fate = fate;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.death = promise;
		this.#die = resolve;
		this.store = {
			engine: store.engine,
			health: () => store.health(),
			close: () => store.close(),
			read: (query) => this.#working(() => store.read(query)),
			commit: (command) =>
				this.#working(async () => {
					const result = await store.commit(async (tx) => {
						const value = await command(tx);
						this.#hit("before a commit");
						// The error rolls back the transaction, because the process died before the commit.
						if (this.end !== undefined) throw new Error("dead");
						return value;
					});
					this.#hit("after a commit");
					return result;
				}),
		};
		this.surface = {
			scopes: (request) => surface.scopes(request),
			send: (row: OutboxRow) => this.#asking(() => surface.send(row)),
			find: (row: OutboxRow) => this.#asking(() => surface.find(row)),
			dedupeWindowMs: (row) => surface.dedupeWindowMs(row),
			typing: (conversation) => this.#asking(() => surface.typing(conversation)),
		};
	}

	reach(name: string): Promise<void> | void {
		this.#hit(name);
		if (this.end !== undefined) return new Promise(() => undefined);
	}

	/**
	 * Whether the planned graceful stop is due. If so, records the stop. Open requests may still receive a response.
	 */
	isToStop(step: number): boolean {
		if (this.#fate?.place !== stop || step < this.#fate.hit) return false;
		this.stop = stop;
		return true;
	}

	/** Resolves when no database operation has been active for several ticks. */
	async quiet(): Promise<void> {
		for (let still = 0; still < quietTicks; still++) {
			await tick();
			if (this.#inFlight > 0) still = 0;
		}
	}

	#hit(name: string): void {
		if (name !== this.#fate?.place) return;
		this.#hits += 1;
		if (this.#hits !== this.#fate.hit) return;
		this.end = name;
		this.#die();
	}

	async #asking<T>(request: () => Promise<T>): Promise<T> {
		if (this.end !== undefined) return new Promise(() => undefined);
		return request();
	}

	async #working<T>(work: () => Promise<T>): Promise<T> {
		const never = new Promise<never>(() => undefined);
		if (this.end !== undefined) return never;
		this.#inFlight += 1;
		const [outcome] = await Promise.allSettled([work()]);
		this.#inFlight -= 1;
		if (this.end !== undefined) return never;
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	}
}

import {
	type Clock,
	defined,
	delay,
	type ErrorCode,
	type Failpoints,
	hotInsert,
	hotStatement,
	type Logger,
	noFailpoints,
	ParleyError,
	parseJson,
	type Store,
	type Timer,
} from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables, InboundState } from "../store/tables.ts";

/** An inbound event in the durable queue. */
export interface QueuedEvent {
	/**
	 * Unique id, for example the kind of the event and the id of its message. For an edit, the id also contains the
	 * version of the message. All copies of an event have the same id.
	 */
	readonly id: string;
	/** Name of the conversation. Events of one conversation are handled in order. */
	readonly conversation: string;
	/** Content of the event: any JSON value. */
	readonly data: unknown;
}

export interface InboundTurn {
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
	/** Whether an earlier call may have handled the event, completely or in part. */
	readonly isRetry: boolean;
	/**
	 * Returns the waiting events in memory that may belong to the handled event. These are the other events of its
	 * conversation. Events of another conversation are included if the conversation has a delayed event and none of
	 * its events is being handled.
	 */
	following(): readonly QueuedEvent[];
	/** Whether this attempt is the last one, unless it fails with an error that passes `isPassing`. */
	readonly isLast: boolean;
	/**
	 * Marks the event as handled in the handler's transaction `tx`, which avoids a separate commit. Call `settle`
	 * as the last step: after the call, the handler may only commit or throw.
	 */
	settle(tx: Kysely<ConnectorTables>): Promise<void>;
}

/**
 * Handles one event. If the handler throws or the process ends, the handler is called again with the same id. This
 * ends when the handler succeeds or the event is given up. Therefore, all effects need keys that derive from the
 * id.
 */
export type InboundHandler = (event: QueuedEvent, turn: InboundTurn) => Promise<void>;

export interface InboxParts {
	readonly store: Store<ConnectorTables>;
	readonly handle: InboundHandler;
	readonly clock: Clock;
	/** Returns a random number from 0 to below 1. */
	readonly chance: () => number;
	readonly log: Logger;
	/** Failpoints `inbound.insert`, `inbound.inserted`, `inbound.handle`, `inbound.handled` and `inbound.done`. */
	readonly failpoints?: Failpoints;
	/** Maximum number of conversations that are handled in parallel; 16 by default. */
	readonly parallel?: number;
	/** Maximum number of waiting events; 10,000 by default. */
	readonly capacity?: number;
	/**
	 * Returns the minimum time in milliseconds between the arrival and the handling of an event. Default: 0. Events of
	 * earlier processes are handled at once.
	 */
	readonly delayMs?: (event: QueuedEvent) => number;
}

/**
 * Maximum number of attempts for an event that fails with an error other than the `passing` errors. The event
 * is then given up, because later events of the conversation wait for it.
 */
const maxAttempts = 5;

interface Waiting {
	readonly position: number;
	/** The event; absent if it must be read from the database. */
	readonly arrived?: QueuedEvent;
	/** Timer of a delayed event. The conversation waits until the timer fires. */
	retryTimer?: Timer | undefined;
}

/**
 * Maximum number of waiting events in memory. For further events, for example while the gateway is down, memory contains
 * only the positions.
 */
const maxInMemory = 1000;

const firstWaitMs = 500;
const maxWaitMs = 30_000;

/**
 * Error codes of requests to a gateway that is down or busy. An event that fails with such an error is retried
 * without a limit.
 */
const passing: ReadonlySet<ErrorCode> = new Set([
	"unavailable" as const,
	"deadline_exceeded" as const,
	"resource_exhausted" as const,
	"aborted" as const,
	"cancelled" as const,
]);

/** Whether an event is retried without a limit if it fails with this error. */
export function isPassing({ code }: ParleyError): boolean {
	return passing.has(code);
}

/**
 * Durable queue of inbound events. Stores each event once, and handles it. Events of one conversation are handled in order,
 * and conversations in parallel.
 */
export class Inbox {
	readonly #parts: InboxParts;
	readonly #failpoints: Failpoints;
	/**
	 * Waiting events by conversation. The first event of a busy conversation is being handled, or waits for its next
	 * attempt.
	 */
	readonly #waiting = new Map<string, Waiting[]>();
	readonly #busy = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	/** Delayed events, each with its conversation. */
	readonly #delayed = new Map<Waiting, string>();
	#count = 0;

	/** Starts an inbox with the unhandled events of the last process. */
	static async start(parts: InboxParts): Promise<Inbox> {
		const inbox = new Inbox(parts);
		for (const { conversation, position } of await parts.store.read(readWaiting)) {
			inbox.#enqueue(conversation, { position });
		}
		inbox.#dispatch();
		return inbox;
	}

	private constructor(parts: InboxParts) {
		this.#parts = parts;
		this.#failpoints = parts.failpoints ?? noFailpoints;
	}

	/**
	 * Stores an event. The caller may acknowledge it to the platform only after the promise resolves. Returns false for a
	 * duplicate. Rejects with `resource_exhausted` if the queue is full. The platform must then redeliver the event.
	 */
	async accept({ id, conversation, data }: QueuedEvent): Promise<boolean> {
		const { store, clock, capacity = 10_000 } = this.#parts;
		if (this.#count >= capacity) {
			throw new ParleyError(
				`cannot queue event ${id}: ${this.#count} events are already waiting; send it again later`,
				{
					code: "resource_exhausted",
				},
			);
		}
		await this.#failpoints.reach("inbound.insert");
		const row = { id, conversation, data: JSON.stringify(data), now: clock.now() };
		// The queue is filled directly after the commit, so that it has the order of the commits.
		const isNew = await store
			.commit((tx) => insertEvent(tx, row))
			.then((position) => {
				if (position === undefined) return false;
				const arrived = { id, conversation, data };
				const waiting: Waiting = {
					position,
					...defined({ arrived: this.#count < maxInMemory ? arrived : undefined }),
				};
				this.#delay(waiting, arrived);
				this.#enqueue(conversation, waiting);
				return true;
			});
		await this.#failpoints.reach("inbound.inserted");
		this.#dispatch();
		return isNew;
	}

	/** Stops handling, and resolves when all running handlers have ended. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		for (const { retryTimer } of this.#delayed.keys()) retryTimer?.cancel();
		await Promise.all(this.#busy.values());
	}

	#delay(waiting: Waiting, event: QueuedEvent): void {
		const { clock, delayMs } = this.#parts;
		const ms = delayMs?.(event) ?? 0;
		if (ms <= 0) return;
		this.#delayed.set(waiting, event.conversation);
		waiting.retryTimer = clock.after(ms, () => {
			waiting.retryTimer = undefined;
			this.#delayed.delete(waiting);
			this.#dispatch();
		});
	}

	#following(conversation: string): readonly QueuedEvent[] {
		const others = new Set(this.#delayed.values()).difference(new Set([conversation, ...this.#busy.keys()]));
		const waiting = [
			...(this.#waiting.get(conversation)?.slice(1) ?? []),
			...[...others].flatMap((other) => this.#waiting.get(other) ?? []),
		];
		return waiting
			.toSorted((one, other) => one.position - other.position)
			.flatMap(({ arrived }) => (arrived ? [arrived] : []));
	}

	#enqueue(conversation: string, waiting: Waiting): void {
		const queue = this.#waiting.get(conversation);
		if (queue === undefined) this.#waiting.set(conversation, [waiting]);
		else queue.push(waiting);
		this.#count += 1;
	}

	#dispatch(): void {
		const { parallel = 16 } = this.#parts;
		for (const [conversation, [first]] of this.#waiting) {
			if (this.#busy.size >= parallel || this.#stopping.signal.aborted) return;
			if (this.#busy.has(conversation) || first?.retryTimer !== undefined) continue;
			const ended = this.#drain(conversation).then(() => {
				this.#busy.delete(conversation);
				this.#dispatch();
			});
			this.#busy.set(conversation, ended);
		}
	}

	/** Handles one event of a conversation, so that other conversations get their turn before the next event. */
	async #drain(conversation: string): Promise<void> {
		const first = this.#waiting.get(conversation)?.[0];
		if (first === undefined) return;
		const { position } = first;
		const { clock, chance } = this.#parts;
		const { signal } = this.#stopping;
		for (let failures = 1; !(await this.#settled(failures === 1 ? first : { position })); failures++) {
			const maxDelayMs = Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs);
			// An aborted delay only ends the wait. The signal then shows that the connector stops.
			await delay(clock, maxDelayMs * (0.5 + chance() / 2), signal).catch(() => undefined);
			if (signal.aborted) return;
		}
		const left = this.#waiting.get(conversation)?.slice(1) ?? [];
		// Moves the conversation to the end of the map, which keeps insertion order.
		this.#waiting.delete(conversation);
		if (left.length > 0) this.#waiting.set(conversation, left);
		this.#count -= 1;
	}

	/** Attempts to handle an event. Returns true if the event needs no further attempt. */
	async #settled({ position, arrived }: Waiting): Promise<boolean> {
		const { store, handle, log } = this.#parts;
		try {
			const row = await (arrived ?? store.read((db) => readEvent(db, position)));
			if (row === undefined) return true;
			const { id, conversation } = row;
			const attempts = "attempts" in row ? row.attempts : 0;
			await this.#failpoints.reach("inbound.handle");
			const done = { position, state: "done", attempts: attempts + 1, reason: null } as const;
			let isSettled = false;
			const settle = async (tx: Kysely<ConnectorTables>): Promise<void> => {
				await this.#move(tx, done);
				isSettled = true;
			};
			const tries = { isRetry: arrived === undefined, isLast: attempts + 1 >= maxAttempts };
			const following = (): readonly QueuedEvent[] => this.#following(conversation);
			const turn = { signal: this.#stopping.signal, ...tries, settle, following };
			const error = await this.#failure(() => {
				const event = { id, conversation, data: "attempts" in row ? parseJson(row.data) : row.data };
				return handle(event, turn);
			});
			await this.#failpoints.reach("inbound.handled");
			if (error !== undefined) return await this.#failed({ position, id, conversation, attempts, error });
			if (!isSettled) await store.commit((tx) => this.#move(tx, done));
			await this.#failpoints.reach("inbound.done");
			return true;
		} catch (error) {
			log.warn("an event waits because the connector's database failed", { position, error });
			return false;
		}
	}

	async #failure(work: () => Promise<void>): Promise<ParleyError | undefined> {
		try {
			await work();
			return undefined;
		} catch (error) {
			return ParleyError.from(error);
		}
	}

	async #failed(failed: {
		readonly position: number;
		readonly id: string;
		readonly conversation: string;
		readonly attempts: number;
		readonly error: ParleyError;
	}): Promise<boolean> {
		const { position, id, conversation, error } = failed;
		const { store, log } = this.#parts;
		const attempts = failed.attempts + (isPassing(error) ? 0 : 1);
		const isDead = attempts >= maxAttempts;
		const state = isDead ? "dead" : "waiting";
		await store.commit((tx) => this.#move(tx, { position, state, attempts, reason: error.message }));
		if (isDead) log.error("an event was given up", { id, conversation, attempts, error });
		else log.warn("an event could not be handled and is retried", { id, conversation, attempts, error });
		return isDead;
	}

	async #move(tx: Kysely<ConnectorTables>, to: StateChange): Promise<void> {
		await updateEvent(tx, { ...to, now: this.#parts.clock.now() });
	}
}

type Tx = Kysely<ConnectorTables>;

interface NewRow {
	readonly id: string;
	readonly conversation: string;
	readonly data: string;
	readonly now: number;
}

/** Stores an event. Returns the position of the new row, or undefined for a duplicate. */
const insertEvent = hotInsert<ConnectorTables, NewRow, "inbound">("position", (db, p) =>
	db
		.insertInto("inbound")
		.values({
			id: p("id"),
			conversation: p("conversation"),
			data: p("data"),
			changed_at: p("now"),
			state: "waiting",
			attempts: 0,
			reason: null,
		})
		.onConflict((conflict) => conflict.column("id").doNothing()),
);

interface StateChange {
	readonly position: number;
	readonly state: InboundState;
	readonly attempts: number;
	readonly reason: string | null;
}

const updateEvent = hotStatement<ConnectorTables, StateChange & { readonly now: number }>((db, p) =>
	db
		.updateTable("inbound")
		.set({ state: p("state"), attempts: p("attempts"), reason: p("reason"), changed_at: p("now") })
		.where("position", "=", p("position")),
);

const selectEvent = hotStatement<
	ConnectorTables,
	{ position: number },
	{ id: string; conversation: string; data: string; attempts: number }
>((db, p) =>
	db
		.selectFrom("inbound")
		.select(["id", "conversation", "data", "attempts"])
		.where("position", "=", p("position")),
);

async function readEvent(db: Tx, position: number) {
	const [row] = await selectEvent(db, { position });
	return row;
}

async function readWaiting(db: Tx): Promise<{ position: number; conversation: string }[]> {
	return db
		.selectFrom("inbound")
		.select(["position", "conversation"])
		.where("state", "=", "waiting")
		.orderBy("position")
		.execute();
}

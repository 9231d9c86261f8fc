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
} from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables, InboundState } from "../store/tables.ts";

/** Something that happened on the platform: a message, its edit, its deletion, a press of a button. */
export interface QueuedEvent {
	/**
	 * What the platform calls it, with its kind, tenant and place, and the version of an edit: the same for each copy
	 * of one event, and for no other.
	 */
	readonly id: string;
	/** What keeps its order. */
	readonly conversation: string;
	/** Anything that JSON can hold. */
	readonly data: unknown;
}

/** What a handler is given besides the event. */
export interface InboundTurn {
	/** That the connector is to end. */
	readonly signal: AbortSignal;
	/** Whether it may have been handled before, in part or as a whole. */
	readonly isAgain: boolean;
	/** Where it throws once more, but for what is `isPassing`, the event is put aside: it is not tried again. */
	readonly isLast: boolean;
	/**
	 * Writes down in a transaction of the handler's own that the event is handled, so that this needs none of its own.
	 * To be the last thing that the handler does: it must commit, or the handler must throw.
	 */
	settle(tx: Kysely<ConnectorTables>): Promise<void>;
}

/**
 * Handles one event. It is called again, with the same id, where it throws or the process ends: what it does must be
 * keyed with that id.
 */
export type InboundHandler = (event: QueuedEvent, turn: InboundTurn) => Promise<void>;

/** What an inbox is made of. */
export interface InboxParts {
	readonly store: Store<ConnectorTables>;
	readonly handle: InboundHandler;
	readonly clock: Clock;
	/** From 0 up to but without 1. */
	readonly chance: () => number;
	readonly log: Logger;
	/** `inbound.` with `insert`, `inserted`, `handle`, `handled` and `done`. */
	readonly failpoints?: Failpoints;
	/** How many conversations are handled at once. 16 unless told. */
	readonly parallel?: number;
	/** How many events may wait. 10,000 unless told. */
	readonly capacity?: number;
}

/** An event that is refused so often, for a reason of its own, is put aside, because others of its conversation wait. */
const mostAttempts = 5;

/** An event that waits. */
interface Waiting {
	readonly position: number;
	/** Absent where it is to be read. */
	readonly arrived?: QueuedEvent;
}

/** So many events that wait are kept in memory, too; of more, as while the gateway is away, it is known where they are. */
const mostKept = 1000;

const firstWaitMs = 500;
const mostWaitMs = 30_000;

/** Whose fault it is not: the gateway is away or busy, and the event keeps its turn for as long as that lasts. */
const passing: ReadonlySet<ErrorCode> = new Set([
	"unavailable" as const,
	"deadline_exceeded" as const,
	"resource_exhausted" as const,
	"aborted" as const,
	"cancelled" as const,
]);

/** Whether an event that was refused so keeps its turn. */
export function isPassing({ code }: ParleyError): boolean {
	return passing.has(code);
}

/**
 * Takes each event of the platform once, durably, and hands it on: in the order in which it came within its
 * conversation, conversations beside each other.
 */
export class Inbox {
	readonly #parts: InboxParts;
	readonly #failpoints: Failpoints;
	/** What waits, by conversation; the first of a busy one is in its handler. */
	readonly #waiting = new Map<string, Waiting[]>();
	readonly #busy = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	#count = 0;

	/** Hands on what the last process has left. */
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
	 * Resolves when the event is durable: only then may the platform be told that it has arrived. False where it came
	 * before. Rejects with `resource_exhausted` where too many wait, so that the platform keeps it.
	 */
	async accept({ id, conversation, data }: QueuedEvent): Promise<boolean> {
		const { store, clock, capacity = 10_000 } = this.#parts;
		if (this.#count >= capacity) {
			throw new ParleyError(`${this.#count} events wait already: event ${id} is not taken`, {
				code: "resource_exhausted",
			});
		}
		await this.#failpoints.reach("inbound.insert");
		const row = { id, conversation, data: JSON.stringify(data), now: clock.now() };
		// Nothing may come between the commit and the queue: it is filled in the order of the commits.
		const isNew = await store
			.commit((tx) => insertEvent(tx, row))
			.then((position) => {
				if (position === undefined) return false;
				const arrived = { id, conversation, data };
				this.#enqueue(conversation, {
					position,
					...defined({ arrived: this.#count < mostKept ? arrived : undefined }),
				});
				return true;
			});
		await this.#failpoints.reach("inbound.inserted");
		this.#dispatch();
		return isNew;
	}

	/** Hands on nothing more, and resolves when what is being handled has ended. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await Promise.all(this.#busy.values());
	}

	#enqueue(conversation: string, waiting: Waiting): void {
		const queue = this.#waiting.get(conversation);
		if (queue === undefined) this.#waiting.set(conversation, [waiting]);
		else queue.push(waiting);
		this.#count += 1;
	}

	#dispatch(): void {
		const { parallel = 16 } = this.#parts;
		for (const conversation of this.#waiting.keys()) {
			if (this.#busy.size >= parallel || this.#stopping.signal.aborted) return;
			if (this.#busy.has(conversation)) continue;
			const ended = this.#drain(conversation).then(() => {
				this.#busy.delete(conversation);
				this.#dispatch();
			});
			this.#busy.set(conversation, ended);
		}
	}

	/** Handles the first of a conversation; the others come after the other conversations have had their turn. */
	async #drain(conversation: string): Promise<void> {
		const first = this.#waiting.get(conversation)?.[0];
		if (first === undefined) return;
		const { position } = first;
		const { clock, chance } = this.#parts;
		const { signal } = this.#stopping;
		for (let failures = 1; !(await this.#settled(failures === 1 ? first : { position })); failures++) {
			const whole = Math.min(firstWaitMs * 2 ** (failures - 1), mostWaitMs);
			// That it is time to stop shows in the signal.
			await delay(clock, whole * (0.5 + chance() / 2), signal).catch(() => undefined);
			if (signal.aborted) return;
		}
		const left = this.#waiting.get(conversation)?.slice(1) ?? [];
		// At the end of the map, which is in order of insertion.
		this.#waiting.delete(conversation);
		if (left.length > 0) this.#waiting.set(conversation, left);
		this.#count -= 1;
	}

	/** Tries an event once; true when it needs no other try. */
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
			const tries = { isAgain: arrived === undefined, isLast: attempts + 1 >= mostAttempts };
			const turn = { signal: this.#stopping.signal, ...tries, settle };
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
		const isDead = attempts >= mostAttempts;
		const state = isDead ? "dead" : "waiting";
		await store.commit((tx) => this.#move(tx, { position, state, attempts, reason: error.message }));
		if (isDead) log.error("an event was put aside", { id, conversation, attempts, error });
		else log.warn("an event could not be handled and is tried again", { id, conversation, attempts, error });
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

/** Resolves with the position of what is new, and with nothing for what came before. */
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

/** One event as it waits. */
async function readEvent(db: Tx, position: number) {
	const [row] = await selectEvent(db, { position });
	return row;
}

/** What waits, in the order in which it came. */
async function readWaiting(db: Tx): Promise<{ position: number; conversation: string }[]> {
	return db
		.selectFrom("inbound")
		.select(["position", "conversation"])
		.where("state", "=", "waiting")
		.orderBy("position")
		.execute();
}

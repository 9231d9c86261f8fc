import { setImmediate } from "node:timers/promises";
import { type Clock, definedItems, type Ids, parseJson, type Store } from "@parley/base";
import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Transaction } from "kysely";
import type { Recorded, RecordedEvent } from "../vocabulary/event.ts";
import type { SessionsOf } from "../vocabulary/principal.ts";
import { insertEvent, nextSeq, readHash } from "./statements.ts";
import type { Tables } from "./tables.ts";
import { eventHash, noTextHash } from "./text-hash.ts";
import { journalTexts } from "./texts.ts";

/** Database handle of a transaction or a query. All changes of a transaction are stored together or not at all. */
export type Tx = Kysely<Tables> | Transaction<Tables>;

export interface JournalDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
}

/**
 * Journal of the events of all sessions. Appends events to the caller's transaction, which also contains the change
 * that the events report. Reads events in order.
 */
export class Journal {
	readonly store: Store<Tables>;
	readonly #clock: Clock;
	readonly #ids: Ids;

	constructor({ store, clock, ids }: JournalDeps) {
		this.store = store;
		this.#clock = clock;
		this.#ids = ids;
	}

	/**
	 * Numbers and stores the events of a session, and resolves with the stored events. The caller must not emit the
	 * events before `tx` is durable. `times`: original times of copied events, in milliseconds since the epoch. Default:
	 * the current time.
	 */
	async append(
		tx: Tx,
		sessionId: string,
		events: readonly RecordedEvent[],
		times: readonly number[] = [],
	): Promise<Recorded[]> {
		if (events.length === 0) return [];
		const now = this.#clock.now();
		const messages = events.filter(({ type }) => type.endsWith(".message")).length;
		const updatedAt = messages > 0 ? now : null;
		const rows = await nextSeq(tx, { id: sessionId, count: events.length, messages, updatedAt });
		const last = Number(rows[0]?.last_seq);
		if (!Number.isSafeInteger(last)) throw new Error(journalTexts.noSession(sessionId));
		const before = last - events.length;
		let previous = rows[0]?.previous ?? (await hashOf(tx, sessionId, before));
		const recorded: Recorded[] = [];
		for (const [index, event] of events.entries()) {
			const seq = before + 1 + index;
			const at = times[index] ?? now;
			const id = this.#ids.create("evt");
			const { type } = event;
			const data = JSON.stringify(event);
			previous = eventHash(previous, { id, sessionId, seq, type, at, data });
			await insertEvent(tx, { id, sessionId, seq, type, at, data, hash: previous });
			recorded.push({ transient: false, id, sessionId, seq, at, event });
		}
		return recorded;
	}

	/** Returns at most `limit` events of a session after `afterSeq`, oldest first. `types` restricts the event types. */
	async after(
		sessionId: string,
		afterSeq: number,
		limit: number,
		types?: readonly string[],
	): Promise<Recorded[]> {
		const rows = await this.store.read((db) => {
			const query = db
				.selectFrom("events")
				.selectAll()
				.where("session_id", "=", sessionId)
				.where("seq", ">", afterSeq)
				.orderBy("seq")
				.limit(limit);
			return (types ? query.where("type", "in", types) : query).execute();
		});
		return rows.map(toRecorded);
	}

	/** Returns the position of the newest event in the journal, or 0 if the journal is empty. */
	async lastPosition(): Promise<number> {
		const row = await this.store.read((db) =>
			db
				.selectFrom("events")
				.select((eb) => eb.fn.max<number | null>("position").as("position"))
				.executeTakeFirst(),
		);
		return Number(row?.position ?? 0);
	}

	/**
	 * Returns the position of the session's last event with a number of at most `seq`. Returns 0 if there is no such
	 * event.
	 */
	async positionOf(sessionId: string, seq: number): Promise<number> {
		const row = await this.store.read((db) =>
			db
				.selectFrom("events")
				.select("position")
				.where("session_id", "=", sessionId)
				.where("seq", "<=", seq)
				.orderBy("seq", "desc")
				.limit(1)
				.executeTakeFirst(),
		);
		return Number(row?.position ?? 0);
	}

	/**
	 * Returns at most `limit` events after `position`, oldest first. The fields of `EventsOf` restrict the sessions and
	 * the event types.
	 */
	async afterPosition(
		position: number,
		{ limit, ...filter }: EventsOf & { readonly limit: number },
	): Promise<PositionedEvent[]> {
		const last = await this.lastPosition();
		const rows: EventRow[] = [];
		for (let after = position; after < last && rows.length < limit; after += windowSize) {
			if (after > position) await setImmediate();
			const until = Math.min(last, after + windowSize);
			const requested = { limit: limit - rows.length, order: "asc" } as const;
			rows.push(...(await this.#window({ after, until }, filter, requested)));
		}
		return rows.map((row) => ({ position: Number(row.position), event: toRecorded(row) }));
	}

	/**
	 * Returns the newest `limit` events, oldest first. The fields of `EventsOf` restrict the sessions and the event
	 * types. With `sessionId`, only events with numbers below `beforeSeq` are returned. Without `sessionId`, `beforeSeq`
	 * is ignored.
	 */
	async recent({
		limit,
		beforeSeq,
		...filter
	}: EventsOf & { readonly limit: number; readonly beforeSeq?: number }): Promise<Recorded[]> {
		const { sessionId } = filter;
		const rows =
			sessionId === undefined
				? await this.#recentOfAll(filter, limit)
				: await this.#recentOfOne({ ...filter, sessionId }, limit, beforeSeq);
		return rows.map(toRecorded).reverse();
	}

	async #recentOfOne(
		filter: EventsOf & { readonly sessionId: string },
		limit: number,
		beforeSeq: number | undefined,
	): Promise<EventRow[]> {
		// With the order of `seq`, the database reads the index of `seq` from its end.
		return this.store.read((db) => {
			const query = narrowed(db.selectFrom("events").selectAll(), filter, "seq")
				.orderBy("seq", "desc")
				.limit(limit);
			return (beforeSeq === undefined ? query : query.where("seq", "<", beforeSeq)).execute();
		});
	}

	async #recentOfAll(filter: EventsOf, limit: number): Promise<EventRow[]> {
		const last = await this.lastPosition();
		const rows: EventRow[] = [];
		for (let until = last; until > 0 && rows.length < limit; until -= windowSize) {
			if (until < last) await setImmediate();
			const requested = { limit: limit - rows.length, order: "desc" } as const;
			rows.push(...(await this.#window({ after: until - windowSize, until }, filter, requested)));
		}
		return rows;
	}

	async #window(
		{ after, until }: { readonly after: number; readonly until: number },
		filter: EventsOf,
		{ limit, order }: { readonly limit: number; readonly order: "asc" | "desc" },
	): Promise<EventRow[]> {
		return this.store.read((db) =>
			narrowed(db.selectFrom("events").selectAll(), filter, "position")
				.where("position", ">", after)
				.where("position", "<=", until)
				.orderBy("position", order)
				.limit(limit)
				.execute(),
		);
	}
}

async function hashOf(tx: Tx, sessionId: string, seq: number): Promise<string> {
	if (seq === 0) return noTextHash;
	const [row] = await readHash(tx, { sessionId, seq });
	return row?.hash ?? noTextHash;
}

type EventRow = Selectable<Tables["events"]>;

/**
 * Number of positions that one query searches. A search for rare events may read all events in the range, and SQLite
 * blocks the main thread meanwhile.
 */
const windowSize = 10_000;

/**
 * Filter of events. `sessionId`: one session. `of`: the sessions that a caller may read. `types`: event types. An
 * absent field restricts nothing.
 */
export interface EventsOf {
	readonly sessionId?: string | undefined;
	readonly of?: SessionsOf | undefined;
	readonly types?: readonly string[] | undefined;
}

/**
 * An event with its position among the events of all sessions. Later events have higher positions, and no position is used twice.
 */
export interface PositionedEvent {
	readonly position: number;
	readonly event: Recorded;
}

/** Adds the conditions of `EventsOf` to the query. */
function narrowed<O>(
	query: SelectQueryBuilder<Tables, "events", O>,
	{ sessionId, of, types }: EventsOf,
	order: "seq" | "position",
): SelectQueryBuilder<Tables, "events", O> {
	// A query in the order of positions must not use an index of sessions, because with the index it would read the
	// sessions' complete history.
	const session = order === "seq" ? sql<string>`session_id` : sql<string>`session_id || ''`;
	let narrow = query;
	if (sessionId !== undefined) narrow = narrow.where(session, "=", sessionId);
	if (types) narrow = narrow.where("type", "in", types);
	if (!of) return narrow;
	const { owner, ids = [], place } = of;
	if (place !== undefined) {
		const there = sql<string>`(select id from sessions where place = ${place})`;
		narrow = narrow.where(session, "in", there);
	}
	return narrow.where((row) =>
		row.or(
			definedItems([
				row(session, "in", row.selectFrom("sessions").select("id").where("sessions.owner", "=", owner)),
				// PostgreSQL does not accept an empty list.
				ids.length > 0 ? row(session, "in", ids) : undefined,
			]),
		),
	);
}

/** Converts a row to a recorded event. Throws if the data is not valid JSON. */
function toRecorded(row: EventRow): Recorded {
	return {
		transient: false,
		id: row.id,
		sessionId: row.session_id,
		seq: Number(row.seq),
		at: Number(row.at),
		event: fromRow<RecordedEvent>(row.data),
	};
}

/** Limits for stored JSON. Stored JSON can be larger than the JSON of one frame. */
const storedLimits = { maxDepth: 256, maxNodes: 5_000_000 };

/** Parses JSON that this program stored with `JSON.stringify`. */
export function fromRow<T>(data: string): T {
	// The cast is safe because only this program writes the JSON columns, always from a value of the type that the
	// caller expects.
	return parseJson(data, storedLimits) as T;
}

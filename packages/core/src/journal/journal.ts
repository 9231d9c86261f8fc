import { type Clock, type Ids, parseJson, type Store } from "@parley/base";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { Recorded, RecordedEvent } from "../event.ts";
import { insertEvent, takeSeq } from "./statements.ts";
import type { Tables } from "./tables.ts";

/** A command's view of the store: everything it does is kept together or not at all. */
export type Tx = Kysely<Tables> | Transaction<Tables>;

/** What every part that writes needs. */
export interface JournalDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
}

/**
 * The record of all sessions: appends events inside the transaction that changes the state they tell of, and reads
 * them back in order.
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

	/** Gives the events the next numbers of their session and writes them; they may leave once `tx` is durable. */
	async append(tx: Tx, sessionId: string, events: readonly RecordedEvent[]): Promise<Recorded[]> {
		if (events.length === 0) return [];
		const at = this.#clock.now();
		const messages = events.filter(({ type }) => type.endsWith(".message")).length;
		const updatedAt = messages > 0 ? at : null;
		const rows = await takeSeq(tx, { id: sessionId, count: events.length, messages, updatedAt });
		const last = Number(rows[0]?.last_seq);
		if (!Number.isSafeInteger(last)) throw new Error(`no session ${sessionId} to append to`);
		const recorded: Recorded[] = [];
		for (const [index, event] of events.entries()) {
			const seq = last - events.length + 1 + index;
			const id = this.#ids.create("evt");
			await insertEvent(tx, { id, sessionId, seq, type: event.type, at, data: JSON.stringify(event) });
			recorded.push({ transient: false, id, sessionId, seq, at, event });
		}
		return recorded;
	}

	/** At most `limit` events of a session after `afterSeq`, oldest first. */
	async after(sessionId: string, afterSeq: number, limit: number): Promise<Recorded[]> {
		const rows = await this.store.read((db) =>
			db
				.selectFrom("events")
				.selectAll()
				.where("session_id", "=", sessionId)
				.where("seq", ">", afterSeq)
				.orderBy("seq")
				.limit(limit)
				.execute(),
		);
		return rows.map(toRecorded);
	}

	/** The newest `limit` events, oldest first, of all sessions or as filtered. */
	async recent(filter: {
		readonly sessionIds?: readonly string[];
		readonly types?: readonly string[];
		readonly limit: number;
		readonly beforeSeq?: number;
	}): Promise<Recorded[]> {
		const rows = await this.store.read((db) => {
			// Of one session in the order of its own numbers, so that its index is read from the end and no further.
			const order = filter.sessionIds?.length === 1 ? "seq" : "position";
			let query = db.selectFrom("events").selectAll().orderBy(order, "desc").limit(filter.limit);
			if (filter.sessionIds) query = query.where("session_id", "in", filter.sessionIds);
			if (filter.types) query = query.where("type", "in", filter.types);
			if (filter.beforeSeq !== undefined) query = query.where("seq", "<", filter.beforeSeq);
			return query.execute();
		});
		return rows.map(toRecorded).reverse();
	}
}

/** An event as its row holds it. Rows are our own writing: a bad one is corruption and throws. */
function toRecorded(row: Selectable<Tables["events"]>): Recorded {
	return {
		transient: false,
		id: row.id,
		sessionId: row.session_id,
		seq: Number(row.seq),
		at: Number(row.at),
		event: fromRow<RecordedEvent>(row.data),
	};
}

/** Stored JSON may be larger than a frame of a client, never deeper than what was checked on its way in. */
const storedLimits = { maxDepth: 256, maxNodes: 5_000_000 };

/** What was written by this program with `JSON.stringify`, read back. */
export function fromRow<T>(data: string): T {
	// True because only this program writes these columns, always from a value of that type.
	return parseJson(data, storedLimits) as T;
}

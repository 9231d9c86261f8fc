import { type Cache, type Clock, createCache, type Store } from "@parley/base";
import { type Kysely, sql } from "kysely";
import type { ConnectorTables } from "../store/tables.ts";
import {
	type Effect,
	type MessageRecord,
	newestEventOf,
	wasStopped,
	writeMessageRecord,
} from "./message-records.ts";

/** Time in milliseconds for which the database stores message records, as `sweep` defines it. */
const retentionMs = 7 * 24 * 3_600_000;
/**
 * Maximum number of names in memory. After a name with a row was evicted, each name is looked up in the database.
 */
const max = 50_000;

const isStop = sql<boolean>`effect = ${sql.lit("nothing-to-stop" satisfies Effect)}`;

/**
 * Names that may have rows in the database. A name in the set may have no row. Each name with a row is in the set, unless
 * it was evicted.
 */
class RecentNames {
	/** Times of the newest rows by name, in milliseconds since the epoch. */
	readonly #at: Cache<string, number>;
	#newest = 0;
	#isComplete = true;

	constructor(clock: Clock) {
		this.#at = createCache({
			max,
			clock,
			evicted: (at) => {
				this.#isComplete &&= !this.#isStored(at);
			},
		});
	}

	note(name: string, at: number): void {
		this.#newest = at;
		this.#at.set(name, at);
	}

	mayHave(name: string): boolean {
		const at = this.#at.peek(name);
		return !this.#isComplete || (at !== undefined && this.#isStored(at));
	}

	#isStored(at: number): boolean {
		return this.#newest - at <= retentionMs;
	}
}

interface MessageEvent {
	/** Id of the inbound event. */
	readonly id: string;
	readonly conversation: string;
	readonly message: string;
}

interface Stopping {
	readonly conversation: string;
	/** Time of the request, in milliseconds since the epoch. */
	readonly at: number;
	readonly ended: Promise<void>;
}

/**
 * Checks before each message is sent whether a newer edit replaces it, and whether a person has stopped it. Both cases
 * are rare, so the database is read only if one of them is possible. All message records are written through this
 * class.
 */
export class MessageHistory {
	readonly #store: Store<ConnectorTables>;
	readonly #clock: Clock;
	/** Messages with a further event, for example an edit. */
	readonly #others: RecentNames;
	/** Conversations in which a person requested a stop while no run was active. */
	readonly #stops: RecentNames;
	readonly #stopping = new Set<Stopping>();

	/** Opens a history that includes the events of earlier processes. */
	static async open(store: Store<ConnectorTables>, clock: Clock): Promise<MessageHistory> {
		const history = new MessageHistory(store, clock);
		const columns = ["id", "conversation", "message", "effect", "changed_at"] as const;
		const record = await store.read((db) =>
			db
				.selectFrom("heard")
				.select(columns)
				// The ids of plain messages begin with `message:`, so a range of ids excludes plain messages.
				.where((eb) => eb.or([eb("id", "<", "message:"), eb("id", ">=", "message;"), isStop]))
				.orderBy("changed_at")
				.execute(),
		);
		for (const { changed_at, ...row } of record) history.#note(row, Number(changed_at));
		return history;
	}

	private constructor(store: Store<ConnectorTables>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
		this.#others = new RecentNames(clock);
		this.#stops = new RecentNames(clock);
	}

	write(tx: Kysely<ConnectorTables>, record: MessageRecord): Promise<void> {
		const now = this.#clock.now();
		// The note is safe even if the transaction fails, because a lookup then finds no row.
		this.#note(record, now);
		return writeMessageRecord(tx, record, now);
	}

	/**
	 * Whether another inbound event for the same message was already handled. For an edit, only a newer edit is
	 * relevant.
	 */
	async isOvertaken(message: MessageEvent & { readonly editedAt?: number }): Promise<boolean> {
		if (!this.#others.mayHave(nameOf(message))) return false;
		const last = await this.#store.read((db) => newestEventOf(db, message));
		if (last === undefined || last.id === message.id) return false;
		return message.editedAt === undefined || last.at > message.editedAt;
	}

	/** Whether a stop applies: see `wasStopped`. Waits for running stops before it returns false. */
	async wasStopped(stop: Parameters<typeof wasStopped>[1]): Promise<boolean> {
		for (;;) {
			const mayBe = this.#stops.mayHave(stop.conversation);
			if (mayBe && (await this.#store.read((db) => wasStopped(db, stop)))) return true;
			// Stops may have begun while the database was read, and their requests may be on the way to the gateway.
			const coming = [...this.#stopping].filter((one) => isFor(one, stop));
			if (coming.length === 0) return false;
			await Promise.all(coming.map(({ ended }) => ended));
		}
	}

	/**
	 * Runs `work`, which must send and record the stop, and resolves with the result of `work`. Until `work` has ended,
	 * `wasStopped` does not return false for the messages that the stop may affect.
	 */
	async stop<Value>(details: Omit<Stopping, "ended">, work: () => Promise<Value>): Promise<Value> {
		const ended = Promise.withResolvers<void>();
		const stopping = { ...details, ended: ended.promise };
		this.#stopping.add(stopping);
		try {
			return await work();
		} finally {
			this.#stopping.delete(stopping);
			ended.resolve();
		}
	}

	#note(record: MessageEvent & { readonly effect: string }, now: number): void {
		if (!record.id.startsWith("message:")) this.#others.note(nameOf(record), now);
		if (record.effect === "nothing-to-stop") this.#stops.note(record.conversation, now);
	}
}

function isFor(
	{ conversation, at }: Stopping,
	message: { readonly conversation: string; readonly since: number },
): boolean {
	return conversation === message.conversation && at > message.since;
}

function nameOf({ conversation, message }: MessageEvent): string {
	// Ids have no line breaks. If one had, two messages would only share a lookup.
	return `${conversation}\n${message}`;
}

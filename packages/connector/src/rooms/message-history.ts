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

/** As long as it is in the database: see `sweep`. */
const keptMs = 7 * 24 * 3_600_000;
/** Maximum names in memory. After more, each name is looked up in the database. */
const max = 50_000;

const isStop = sql<boolean>`effect = ${sql.lit("nothing-to-stop" satisfies Effect)}`;

/** Names that the database has rows for. It may hold a name without a row, and never lacks one that has a row. */
class RecentNames {
	/** Times of the newest rows, in milliseconds since the epoch. */
	readonly #at: Cache<string, number>;
	#newest = 0;
	#isComplete = true;

	constructor(clock: Clock) {
		this.#at = createCache({
			max,
			clock,
			evicted: (at) => {
				this.#isComplete &&= !this.#isKept(at);
			},
		});
	}

	note(name: string, at: number): void {
		this.#newest = at;
		this.#at.set(name, at);
	}

	mayHave(name: string): boolean {
		const at = this.#at.peek(name);
		return !this.#isComplete || (at !== undefined && this.#isKept(at));
	}

	/** Whether the database may still have a row of that time. */
	#isKept(at: number): boolean {
		return this.#newest - at <= keptMs;
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
	/** When that was wanted. */
	readonly at: number;
	readonly ended: Promise<void>;
}

/**
 * What is asked before each message is said, and is seldom so: whether its edit came before it, and whether somebody
 * has said stop meanwhile. The database is asked only where that may be; all that is heard is written down through this.
 */
export class MessageHistory {
	readonly #store: Store<ConnectorTables>;
	readonly #clock: Clock;
	/** Messages that were heard otherwise than as they were first said. */
	readonly #others: RecentNames;
	/** Conversations. */
	readonly #stops: RecentNames;
	/** Stops that are being carried out. */
	readonly #stopping = new Set<Stopping>();

	/** Knows what earlier processes have heard. */
	static async open(store: Store<ConnectorTables>, clock: Clock): Promise<MessageHistory> {
		const seldom = new MessageHistory(store, clock);
		const columns = ["id", "conversation", "message", "effect", "changed_at"] as const;
		const heard = await store.read((db) =>
			db
				.selectFrom("heard")
				.select(columns)
				// Ids begin with the kind of what arrived: so all but the many are found by the key.
				.where((eb) => eb.or([eb("id", "<", "message:"), eb("id", ">=", "message;"), isStop]))
				.orderBy("changed_at")
				.execute(),
		);
		for (const { changed_at, ...row } of heard) seldom.#note(row, Number(changed_at));
		return seldom;
	}

	private constructor(store: Store<ConnectorTables>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
		this.#others = new RecentNames(clock);
		this.#stops = new RecentNames(clock);
	}

	/** Writes down what was heard. */
	write(tx: Kysely<ConnectorTables>, heard: MessageRecord): Promise<void> {
		const now = this.#clock.now();
		// Also where the transaction is lost: then it is looked up for nothing.
		this.#note(heard, now);
		return writeMessageRecord(tx, heard, now);
	}

	/** Whether a message was heard by another inbound event than this one. */
	async isOvertaken(message: MessageEvent): Promise<boolean> {
		if (!this.#others.mayHave(nameOf(message))) return false;
		const last = await this.#store.read((db) => newestEventOf(db, message));
		return last !== undefined && last !== message.id;
	}

	/** See `wasStopped`. Waits for what comes of a stop that is being carried out. */
	async wasStopped(stop: Parameters<typeof wasStopped>[1]): Promise<boolean> {
		for (;;) {
			const mayBe = this.#stops.mayHave(stop.conversation);
			if (mayBe && (await this.#store.read((db) => wasStopped(db, stop)))) return true;
			// Also one that began while the database was read: its request may be on its way to the gateway.
			const coming = [...this.#stopping].filter((one) => isFor(one, stop));
			if (coming.length === 0) return false;
			await Promise.all(coming.map(({ ended }) => ended));
		}
	}

	/** Carries out a stop, which ends by writing down what came of it: nobody hands a message on meanwhile. */
	async stop<Value>(wanted: Omit<Stopping, "ended">, work: () => Promise<Value>): Promise<Value> {
		const ended = Promise.withResolvers<void>();
		const stopping = { ...wanted, ended: ended.promise };
		this.#stopping.add(stopping);
		try {
			return await work();
		} finally {
			this.#stopping.delete(stopping);
			ended.resolve();
		}
	}

	#note(heard: MessageEvent & { readonly effect: string }, now: number): void {
		if (!heard.id.startsWith("message:")) this.#others.note(nameOf(heard), now);
		if (heard.effect === "nothing-to-stop") this.#stops.note(heard.conversation, now);
	}
}

function isFor(
	{ conversation, at }: Stopping,
	message: { readonly conversation: string; readonly since: number },
): boolean {
	return conversation === message.conversation && at > message.since;
}

function nameOf({ conversation, message }: MessageEvent): string {
	// No id has a line break in it; if one had, two messages would only be looked up together.
	return `${conversation}\n${message}`;
}

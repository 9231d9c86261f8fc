import { Keyv, type KeyvStorageAdapter, type KeyvStorageEntry, keyvStorageCapability } from "keyv";
import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import { hotStatement } from "./hot-statement.ts";
import type { Migration, Store } from "./store.ts";

interface KeyvTables {
	kv: KeyvRow;
}

interface KeyvRow {
	namespace: string;
	key: string;
	value: string;
	expires: number | null;
}

/** Creates the table that `openKeyv` needs. */
export const keyvMigration: Migration = {
	name: "0000-kv",
	async up(db) {
		await db.schema
			.createTable("kv")
			.addColumn("namespace", "text", (column) => column.notNull())
			.addColumn("key", "text", (column) => column.notNull())
			.addColumn("value", "text", (column) => column.notNull())
			.addColumn("expires", "bigint")
			.addPrimaryKeyConstraint("kv_key", ["namespace", "key"])
			.execute();
		await db.schema.createIndex("kv_expires").on("kv").column("expires").execute();
	},
};

/** Which of the key/values in a store are meant. */
export interface KeyvOptions<DB> {
	/** With `keyvMigration` among its migrations. */
	readonly store: Store<DB>;
	readonly clock: Clock;
	readonly namespace: string;
}

/**
 * Plain key/values in the store, for what has no transaction with anything else. Unlike a bare Keyv, which answers a
 * failing store with `undefined` or `false` once somebody listens for errors, every operation rejects when the store
 * fails.
 */
export function openKeyv<Value, DB>({ store, clock, namespace }: KeyvOptions<DB>): Keyv<Value> {
	const keyv = new Keyv<Value>({ store: new SqlKeyv(store, clock), namespace, checkExpired: false });
	keyv.on("error", (error) => {
		throw error;
	});
	return keyv;
}

/** What Keyv calls on its storage; the events of its type are optional in practice, and we emit none. */
type KeyvStorage = Pick<
	KeyvStorageAdapter,
	| "namespace"
	| "capabilities"
	| "get"
	| "getMany"
	| "has"
	| "hasMany"
	| "set"
	| "setMany"
	| "delete"
	| "deleteMany"
	| "clear"
>;

/** Keyv 6 storage in the table `kv`: https://keyv.org/docs/third-party-storage-adapters */
class SqlKeyv<DB> implements KeyvStorage {
	namespace: string | undefined;
	readonly capabilities = keyvStorageCapability(this);
	readonly #store: Store<DB>;
	readonly #clock: Clock;

	constructor(store: Store<DB>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
	}

	async get(key: string): Promise<string | undefined> {
		const [value] = await this.getMany([key]);
		return value;
	}

	getMany(keys: string[]): Promise<Array<string | undefined>> {
		const at = this.#clock.now();
		return this.#store.read(async (db) => {
			const rows = await Promise.all(keys.map((key) => selectValue(tables(db), { ...this.#at(key), at })));
			return rows.map(([row]) => row?.value);
		});
	}

	async has(key: string): Promise<boolean> {
		return (await this.get(key)) !== undefined;
	}

	async hasMany(keys: string[]): Promise<boolean[]> {
		return (await this.getMany(keys)).map((value) => value !== undefined);
	}

	async set(key: string, value: unknown, expires?: number): Promise<boolean> {
		await this.setMany([{ key, value, ...(expires !== undefined && { expires }) }]);
		return true;
	}

	async setMany(entries: KeyvStorageEntry<unknown>[]): Promise<boolean[]> {
		const rows = entries.map(({ key, value, expires = null }) => ({
			...this.#at(key),
			value: encoded(value),
			expires,
		}));
		const at = this.#clock.now();
		await this.#store.commit(async (tx) => {
			for (const row of rows) await upsertValue(tables(tx), row);
			await deleteExpired(tables(tx), { at });
		});
		return rows.map(() => true);
	}

	async delete(key: string): Promise<boolean> {
		const [deleted] = await this.deleteMany([key]);
		return deleted === true;
	}

	deleteMany(keys: string[]): Promise<boolean[]> {
		return this.#store.commit(async (tx) => {
			const deleted: boolean[] = [];
			for (const key of keys) deleted.push((await deleteValue(tables(tx), this.#at(key))).length > 0);
			return deleted;
		});
	}

	async clear(): Promise<void> {
		const { namespace } = this.#at("");
		await this.#store.commit((tx) =>
			tables(tx).deleteFrom("kv").where("namespace", "=", namespace).execute(),
		);
	}

	#at(key: string): { namespace: string; key: string } {
		return { namespace: this.namespace ?? "", key };
	}
}

function tables<DB>(db: Kysely<DB>): Kysely<KeyvTables> {
	// Whoever opened the store ran `keyvMigration`, so the table is there, whatever else `DB` lists.
	return db as unknown as Kysely<KeyvTables>;
}

function encoded(value: unknown): string {
	if (typeof value === "string") return value;
	throw new ParleyError(`cannot store a value that is ${typeof value} and not serialized`, {
		code: "invalid_argument",
	});
}

const selectValue = hotStatement<
	KeyvTables,
	{ namespace: string; key: string; at: number },
	{ value: string }
>((db, p) =>
	db
		.selectFrom("kv")
		.select("value")
		.where("namespace", "=", p("namespace"))
		.where("key", "=", p("key"))
		.where((eb) => eb.or([eb("expires", "is", null), eb("expires", ">", p("at"))])),
);

const upsertValue = hotStatement<KeyvTables, KeyvRow>((db, p) =>
	db
		.insertInto("kv")
		.values({ namespace: p("namespace"), key: p("key"), value: p("value"), expires: p("expires") })
		.onConflict((conflict) =>
			conflict
				.columns(["namespace", "key"])
				.doUpdateSet((eb) => ({ value: eb.ref("excluded.value"), expires: eb.ref("excluded.expires") })),
		),
);

const deleteValue = hotStatement<KeyvTables, { namespace: string; key: string }, { key: string }>((db, p) =>
	db.deleteFrom("kv").where("namespace", "=", p("namespace")).where("key", "=", p("key")).returning("key"),
);

const deleteExpired = hotStatement<KeyvTables, { at: number }>((db, p) =>
	db.deleteFrom("kv").where("expires", "<=", p("at")),
);

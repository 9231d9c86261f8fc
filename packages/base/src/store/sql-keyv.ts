import { Keyv, type KeyvStorageEntry, keyvStorageCapability } from "keyv";
import type { Clock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import type { Migration, Store } from "./store.ts";

/** Migration that creates the table for `openKeyv`. */
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

/** Store and namespace of the keys and values. */
export interface KeyvOptions<DB> {
	/** The store. Its migrations must include `keyvMigration`. */
	readonly store: Store<DB>;
	readonly clock: Clock;
	readonly namespace: string;
}

/**
 * Opens a Keyv in the store. Use it for data that is never changed in one transaction with other data. If the store
 * fails, operations of the Keyv reject.
 */
export function openKeyv<Value, DB>({ store, clock, namespace }: KeyvOptions<DB>): Keyv<Value> {
	// The cast is safe because the migration created the table, in addition to the tables of `DB`.
	const storage = new SqlStorage(store as unknown as Store<KeyvTables>, clock);
	const keyv = new Keyv<Value>({ store: storage, namespace, checkExpired: false });
	keyv.on("error", (error) => {
		throw error;
	});
	return keyv;
}

interface KeyvTables {
	kv: { namespace: string; key: string; value: string; expires: number | null };
}

/** Keyv 6 storage in the table `kv`: https://keyv.org/docs/third-party-storage-adapters */
class SqlStorage {
	/** Namespace of the keys. Keyv sets it before the first call. */
	namespace = "";
	readonly capabilities = keyvStorageCapability(this);
	readonly #store: Store<KeyvTables>;
	readonly #clock: Clock;

	constructor(store: Store<KeyvTables>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
	}

	get = async (key: string): Promise<string | undefined> => (await this.getMany([key]))[0];
	has = async (key: string): Promise<boolean> => (await this.get(key)) !== undefined;
	hasMany = (keys: string[]): Promise<boolean[]> => Promise.all(keys.map(this.has));
	delete = async (key: string): Promise<boolean> => (await this.deleteMany([key]))[0] === true;
	set = async (key: string, value: unknown, expires?: number): Promise<boolean> =>
		(await this.setMany([expires === undefined ? { key, value } : { key, value, expires }])).length === 1;

	getMany(keys: string[]): Promise<Array<string | undefined>> {
		const now = this.#clock.now();
		const { namespace } = this;
		return this.#store.read(async (db) => {
			const all = db.selectFrom("kv").select(["key", "value"]).where("namespace", "=", namespace);
			const live = all.where((eb) => eb.or([eb("expires", "is", null), eb("expires", ">", now)]));
			const rows = keys.length === 0 ? [] : await live.where("key", "in", keys).execute();
			return keys.map((requested) => rows.find(({ key }) => key === requested)?.value);
		});
	}

	/** Stores the entries, and deletes the expired rows of all namespaces. */
	async setMany(entries: KeyvStorageEntry<unknown>[]): Promise<boolean[]> {
		const now = this.#clock.now();
		const { namespace } = this;
		await this.#store.commit(async (tx) => {
			for (const { key, value, expires = null } of entries) {
				const row = { namespace, key, value: encoded(value), expires };
				const upsert = tx.insertInto("kv").values(row);
				await upsert.onConflict((on) => on.columns(["namespace", "key"]).doUpdateSet(row)).execute();
			}
			await tx.deleteFrom("kv").where("expires", "<=", now).execute();
		});
		return entries.map(() => true);
	}

	deleteMany(keys: string[]): Promise<boolean[]> {
		const { namespace } = this;
		return this.#store.commit(async (tx) => {
			const rows = tx.deleteFrom("kv").where("namespace", "=", namespace).returning("key");
			const deleted = keys.length === 0 ? [] : await rows.where("key", "in", keys).execute();
			return keys.map((requested) => deleted.some(({ key }) => key === requested));
		});
	}

	async clear(): Promise<void> {
		const { namespace } = this;
		await this.#store.commit((tx) => tx.deleteFrom("kv").where("namespace", "=", namespace).execute());
	}
}

function encoded(value: unknown): string {
	if (typeof value === "string") return value;
	throw new ParleyError(`cannot store a value of type ${typeof value} in keyv: serialize it first`, {
		code: "invalid_argument",
	});
}

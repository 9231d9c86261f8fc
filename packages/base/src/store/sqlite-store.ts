import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type DatabaseConnection, Kysely } from "kysely";
import { type Clock, systemClock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import { type Failpoints, noFailpoints } from "../failpoints.ts";
import { createIds } from "../ids.ts";
import { boundKysely, GroupCommit, type TransactionControl, type TransactionWatch } from "./group-commit.ts";
import { createFresh, type FreshSchema, findPending, migrate, type Schema } from "./migrate.ts";
import { NodeSqliteConnection, NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import {
	checkIntegrity,
	checkSchema,
	copyDatabase,
	createPrivately,
	openReader,
	openWriter,
	storageFailure,
} from "./sqlite-file.ts";
import { type HealthWatch, StorageHealth } from "./storage-health.ts";
import { type Migration, type Store, StoreError, type StoreHealth } from "./store.ts";

export interface SqliteStoreOptions {
	/**
	 * Path of the file, or `:memory:`. A missing file is created with its directories. Only the user of this
	 * process can read the file.
	 */
	readonly file: string;
	readonly migrations: readonly Migration[];
	/** Schema for an empty database. To create the schema directly is faster than to run its migrations. */
	readonly fresh?: FreshSchema;
	/** Failpoints: `store.commit` before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
	/** Callback at the start of each transaction: see `TransactionWatch`. */
	readonly watch?: TransactionWatch;
	/** Callback after commits begin to fail, and after they work again. */
	readonly onHealth?: HealthWatch;
	/** Source of the times in `Store.health` and in the migrations of a new database. */
	readonly clock?: Clock;
}

/**
 * Opens a store in an SQLite file or in memory. In a file, committed data survives loss of power (WAL,
 * synchronous=FULL). In memory, the data is lost when the store is closed. Before a migration, a file with data is
 * copied to `FILE.before-MIGRATION`. Rejects with `data_loss` if the file is damaged, with `failed_precondition` if a
 * newer program wrote the file, and with `internal` if a migration fails. The data stays unchanged in these three
 * cases. Rejects with `unavailable` if the file cannot be opened.
 */
export async function openSqliteStore<DB>(options: SqliteStoreOptions): Promise<Store<DB>> {
	try {
		return await open(options);
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		const full = storageFailure(cause) === "full";
		const reason = full
			? "the disk is full; free some space and start again"
			: `${messageOf(cause)}; check the file and its permissions, and start again`;
		throw new ParleyError(`cannot open the database ${options.file}: ${reason}`, {
			code: "unavailable",
			cause,
		});
	}
}

function messageOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}

async function open<DB>(options: SqliteStoreOptions): Promise<Store<DB>> {
	const { failpoints = noFailpoints, watch, onHealth, clock = systemClock } = options;
	const connections = options.file === inMemory ? await inMemoryOf(options) : await inFileOf(options);
	connections.writer.exec("pragma foreign_keys = on");
	return new SqliteStore<DB>(connections, {
		failpoints,
		watch,
		health: new StorageHealth(clock, onHealth),
	});
}

interface Connections {
	readonly writer: DatabaseSync;
	readonly reader: DatabaseSync;
	/** Connection for queries. It uses `reader`. */
	readonly reads: DatabaseConnection;
}

async function inFileOf(options: SqliteStoreOptions): Promise<Connections> {
	const { file, migrations } = options;
	createPrivately(file);
	const pending = await inspect(file, migrations);
	const writer = openWriter(file);
	try {
		if (pending !== undefined) {
			copyDatabase(writer, `${file}.before-${pending}`);
			await migrateFile(writer, options);
		}
		const reader = openReader(file);
		return { writer, reader, reads: new NodeSqliteConnection(reader) };
	} catch (error) {
		writer.close();
		throw error;
	}
}

async function inMemoryOf(options: SqliteStoreOptions): Promise<Connections> {
	const { writer, reader } = openMemory();
	try {
		await migrateFile(writer, options);
		return { writer, reader, reads: new BetweenTransactions(reader, writer) };
	} catch (error) {
		reader.close();
		writer.close();
		throw error;
	}
}

/** Migrates the database to the newest schema. An empty database gets the migrations of `fresh` in one step. */
async function migrateFile(
	writer: DatabaseSync,
	{ migrations, fresh, clock = systemClock }: SqliteStoreOptions,
): Promise<void> {
	const isFresh = fresh !== undefined && createFresh(writer, fresh, clock.now());
	if (isFresh && migrations.every(({ name }) => fresh.migrations.includes(name))) return;
	await migrate(schemaOf(writer, migrations));
}

/** Maximum bytes of a small file. Each start checks a small file completely. */
const smallBytes = 8 * 1024 * 1024;

/**
 * Checks the file. Resolves with the name of the first migration that has not run, or with undefined if all have run.
 * The connection is read-only, so that a refused file stays unchanged. A large file is completely checked only before a
 * migration, because a complete check would delay each start.
 */
async function inspect(file: string, migrations: readonly Migration[]): Promise<string | undefined> {
	const database = openReader(file);
	const isSmall = statSync(file).size <= smallBytes;
	try {
		if (isSmall) checkIntegrity(database, file);
		else checkSchema(database, file);
		const pending = await findPending(schemaOf(database, migrations));
		if (pending !== undefined && !isSmall) checkIntegrity(database, file);
		return pending;
	} finally {
		database.close();
	}
}

function schemaOf(database: DatabaseSync, migrations: readonly Migration[]): Schema {
	return { db: new Kysely({ dialect: new NodeSqliteDialect(database) }), engine: "sqlite", migrations };
}

class SqliteStore<DB> implements Store<DB> {
	readonly engine = "sqlite";
	readonly #writer: DatabaseSync;
	readonly #reader: DatabaseSync;
	readonly #commits: GroupCommit<DB>;
	readonly #db: Kysely<DB>;
	readonly #reads = new Set<Promise<unknown>>();
	#closing: Promise<void> | undefined;

	constructor(
		{ writer, reader, reads }: Connections,
		hooks: {
			readonly failpoints: Failpoints;
			readonly health: StorageHealth;
			readonly watch: TransactionWatch | undefined;
		},
	) {
		this.#writer = writer;
		this.#reader = reader;
		const tx = boundKysely<DB>(new NodeSqliteDialect(writer), new NodeSqliteConnection(writer));
		this.#commits = new GroupCommit({ tx, control: controlOf(writer), ...hooks });
		this.#db = boundKysely<DB>(new NodeSqliteDialect(reader), reads);
	}

	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		return this.#commits.commit(command);
	}

	async read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
		if (this.#closing !== undefined) throw new StoreError("the store is closed");
		const result = query(this.#db);
		this.#reads.add(result);
		try {
			return await result;
		} finally {
			this.#reads.delete(result);
		}
	}

	health(): StoreHealth {
		return this.#commits.health();
	}

	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		await Promise.allSettled([this.#commits.close(), ...this.#reads]);
		this.#reader.close();
		try {
			this.#writer.exec("pragma wal_checkpoint(truncate)");
		} catch (error) {
			// On a full disk, the remaining data stays in the WAL file, and the next start reads the WAL file.
			if (storageFailure(error) !== "full") throw error;
		} finally {
			this.#writer.close();
		}
	}
}

function controlOf(database: DatabaseSync): TransactionControl {
	const prepare = (text: string): (() => void) => {
		const statement = database.prepare(text);
		return () => void statement.run();
	};
	return {
		begin: prepare("begin immediate"),
		commit: prepare("commit"),
		savepoint: prepare("savepoint command"),
		releaseSavepoint: prepare("release command"),
		rollbackToSavepoint: prepare("rollback to command"),
		// SQLite itself rolls back after some errors, for example on a full disk:
		// https://www.sqlite.org/lang_transaction.html
		rollback: () => {
			if (database.isTransaction) database.exec("rollback");
		},
		// Parley does not use the `user_version` number. SQLite writes the number even if the number does not change.
		probe: prepare("pragma user_version = 0"),
		failure: storageFailure,
	};
}

/** Name of an in-memory database in SQLite: https://www.sqlite.org/inmemorydb.html */
const inMemory = ":memory:";

/** Opens two connections to a new database in memory. SQLite deletes the database when both connections are closed. */
function openMemory(): { readonly writer: DatabaseSync; readonly reader: DatabaseSync } {
	// The `memdb` VFS lets two connections share a database in memory:
	// https://www.sqlite.org/src/file/src/memdb.c
	const file = `file:/parley-${createIds().uuid()}?vfs=memdb`;
	const writer = new DatabaseSync(file, { enableForeignKeyConstraints: false });
	// Rollback journals and temporary tables must not use files.
	writer.exec("pragma journal_mode = memory");
	writer.exec("pragma temp_store = memory");
	return { writer, reader: new DatabaseSync(file, { readOnly: true }) };
}

/**
 * Connection that reads between the transactions of the writer, because each transaction locks an in-memory
 * database.
 */
class BetweenTransactions extends NodeSqliteConnection {
	readonly #writer: DatabaseSync;

	constructor(reader: DatabaseSync, writer: DatabaseSync) {
		super(reader);
		this.#writer = writer;
	}

	override async executeQuery<R>(query: Parameters<DatabaseConnection["executeQuery"]>[0]) {
		// Statements are fast, so the transaction ends soon.
		while (this.#writer.isTransaction) await new Promise((resolve) => setImmediate(resolve));
		return super.executeQuery<R>(query);
	}
}

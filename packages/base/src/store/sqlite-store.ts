import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { ParleyError } from "../errors.ts";
import { type Failpoints, noFailpoints } from "../failpoints.ts";
import { boundKysely } from "./bound-kysely.ts";
import { GroupCommit, type TransactionControl } from "./group-commit.ts";
import { findPending, migrate, type Schema } from "./migrate.ts";
import { NodeSqliteConnection, NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import { checkIntegrity, copyDatabase, createPrivately, openReader, openWriter } from "./sqlite-file.ts";
import type { Migration, Store } from "./store.ts";

/** Where the database is and what must be in it. */
export interface SqliteStoreOptions {
	/** Created with its directory when missing, readable by its owner only. */
	readonly file: string;
	readonly migrations: readonly Migration[];
	/** `store.commit` is reached before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
}

/**
 * Opens a store in one SQLite file, durable against loss of power (WAL, synchronous=FULL). Before a schema is
 * migrated, the database is copied to `FILE.before-MIGRATION`. Rejects with `data_loss` when the file is damaged,
 * with `failed_precondition` when a newer program has written it (in both cases its content is not changed), and with
 * `unavailable` when it cannot be opened.
 */
export async function openSqliteStore<DB>(options: SqliteStoreOptions): Promise<Store<DB>> {
	try {
		return await open(options);
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new ParleyError(`cannot open the database ${options.file}: ${why}`, { code: "unavailable", cause });
	}
}

async function open<DB>({ file, migrations, failpoints }: SqliteStoreOptions): Promise<Store<DB>> {
	createPrivately(file);
	const pending = await inspect(file, migrations);
	const writer = openWriter(file);
	try {
		if (pending !== undefined) {
			copyDatabase(writer, `${file}.before-${pending}`);
			await migrate(schemaOf(writer, migrations));
		}
		writer.exec("pragma foreign_keys = on");
		return new SqliteStore<DB>(writer, openReader(file), failpoints ?? noFailpoints);
	} catch (error) {
		writer.close();
		throw error;
	}
}

/** What must be migrated. Works on a connection that cannot write, so that a file that is refused stays as it is. */
async function inspect(file: string, migrations: readonly Migration[]): Promise<string | undefined> {
	const database = openReader(file);
	try {
		checkIntegrity(database, file);
		return await findPending(schemaOf(database, migrations));
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

	constructor(writer: DatabaseSync, reader: DatabaseSync, failpoints: Failpoints) {
		this.#writer = writer;
		this.#reader = reader;
		const tx = boundKysely<DB>(new NodeSqliteDialect(writer), new NodeSqliteConnection(writer));
		this.#commits = new GroupCommit({ tx, control: controlOf(writer), failpoints });
		this.#db = boundKysely<DB>(new NodeSqliteDialect(reader), new NodeSqliteConnection(reader));
	}

	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		return this.#commits.commit(command);
	}

	async read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
		if (this.#closing !== undefined) throw new ParleyError("the store is closed", { code: "unavailable" });
		const result = query(this.#db);
		this.#reads.add(result);
		try {
			return await result;
		} finally {
			this.#reads.delete(result);
		}
	}

	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		await Promise.allSettled([this.#commits.close(), ...this.#reads]);
		this.#reader.close();
		this.#writer.exec("pragma wal_checkpoint(truncate)");
		this.#writer.close();
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
		// Some errors, a full disk for one, make SQLite roll back by itself: https://www.sqlite.org/lang_transaction.html
		rollback: () => {
			if (database.isTransaction) database.exec("rollback");
		},
	};
}

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
	type CompiledQuery,
	type DatabaseConnection,
	type Dialect,
	type Driver,
	type QueryResult,
	SqliteAdapter,
	SqliteIntrospector,
	SqliteQueryCompiler,
} from "kysely";
import { LRUCache } from "lru-cache";
import { ParleyError } from "../errors.ts";

interface Prepared {
	readonly statement: StatementSync;
	readonly returnsRows: boolean;
}

/**
 * Maximum cached statements. The number of different queries is large, because a query with a list has a different text
 * for each length of the list.
 */
const maxStatements = 500;

/**
 * Connection to an open `node:sqlite` database. Runs compiled queries, and caches the prepared statements of the
 * queries.
 */
export class NodeSqliteConnection implements DatabaseConnection {
	readonly #database: DatabaseSync;
	readonly #prepared = new LRUCache<string, Prepared>({ max: maxStatements });

	constructor(database: DatabaseSync) {
		this.#database = database;
	}

	async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
		const { statement, returnsRows } = this.#prepare(query.sql);
		// The cast is safe because Kysely passes parameters unchanged, and SQLite refuses a parameter that it cannot
		// store.
		const parameters = query.parameters as SQLInputValue[];
		// The cast is safe because the query builder determines the type of the rows.
		if (returnsRows) return { rows: statement.all(...parameters) as R[] };
		const { changes, lastInsertRowid } = statement.run(...parameters);
		return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
	}

	// biome-ignore lint/correctness/useYield: Kysely requires this method, and Parley does not use it
	async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
		throw new ParleyError("cannot stream results: read pages with limit", { code: "unimplemented" });
	}

	#prepare(sql: string): Prepared {
		const known = this.#prepared.get(sql);
		if (known !== undefined) return known;
		const statement = this.#database.prepare(sql);
		const prepared = { statement, returnsRows: statement.columns().length > 0 };
		this.#prepared.set(sql, prepared);
		return prepared;
	}
}

class NodeSqliteAdapter extends SqliteAdapter {
	override get supportsTransactionalDdl(): boolean {
		// Schema changes can be rolled back with a single connection. Kysely returns false because of other drivers.
		return true;
	}
}

/** Kysely dialect for one open `node:sqlite` database. Destroying the Kysely instance does not close the database. */
export class NodeSqliteDialect implements Dialect {
	readonly #database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.#database = database;
	}

	createAdapter(): SqliteAdapter {
		return new NodeSqliteAdapter();
	}

	createIntrospector(...args: ConstructorParameters<typeof SqliteIntrospector>): SqliteIntrospector {
		return new SqliteIntrospector(...args);
	}

	createQueryCompiler(): SqliteQueryCompiler {
		return new SqliteQueryCompiler();
	}

	createDriver(): Driver {
		const database = this.#database;
		const connection = new NodeSqliteConnection(database);
		return {
			init: async () => undefined,
			acquireConnection: async () => connection,
			releaseConnection: async () => undefined,
			// The transaction is immediate, because it must not fail at its first write when another transaction is
			// writing.
			beginTransaction: async () => database.exec("begin immediate"),
			commitTransaction: async () => database.exec("commit"),
			rollbackTransaction: async () => database.exec("rollback"),
			destroy: async () => undefined,
		};
	}
}

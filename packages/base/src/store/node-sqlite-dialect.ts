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

/** Maximum cached statements. Queries that are built at run time differ in the lengths of their lists. */
const maxStatements = 500;

/** Runs compiled queries on an open `node:sqlite` database, and caches their prepared statements. */
export class NodeSqliteConnection implements DatabaseConnection {
	readonly #database: DatabaseSync;
	readonly #prepared = new LRUCache<string, Prepared>({ max: maxStatements });

	constructor(database: DatabaseSync) {
		this.#database = database;
	}

	async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
		const { statement, returnsRows } = this.#prepare(query.sql);
		// Kysely passes values unchanged. SQLite refuses values that it cannot store.
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
			// Immediate, because a transaction that writes must not fail later when another transaction writes.
			beginTransaction: async () => database.exec("begin immediate"),
			commitTransaction: async () => database.exec("commit"),
			rollbackTransaction: async () => database.exec("rollback"),
			destroy: async () => undefined,
		};
	}
}

import {
	type Compilable,
	type CompiledQuery,
	type InsertQueryBuilder,
	type InsertResult,
	type Kysely,
	type QueryResult,
	SqliteAdapter,
	sql,
	type UpdateResult,
} from "kysely";

/**
 * Runs a prepared statement. Resolves with the rows of a query, or with an empty list if the statement returns no rows.
 */
export type HotStatement<DB, P, R> = (db: Kysely<DB>, parameters: P) => Promise<R[]>;

type Parameter<P> = <K extends keyof P>(name: K) => P[K];

class Placeholder {
	readonly name: PropertyKey;

	constructor(name: PropertyKey) {
		this.name = name;
	}
}

/**
 * Creates a statement that is compiled at its first use with an engine. Later uses only bind the parameters and run the
 * statement. Use a hot statement in frequent code paths, because there the query builder costs more than the query.
 * `p("name")` marks the position of a parameter wherever a single value is allowed. `R` is the type of a result row.
 */
export function hotStatement<DB, P extends object, R = unknown>(
	build: (db: Kysely<DB>, p: Parameter<P>) => Compilable<R>,
): HotStatement<DB, P, R> {
	const run = prepared(build);
	return async (db, values) => (await run(db, values)).rows;
}

/**
 * Creates a statement as `hotStatement` does, for a change of rows. The statement must not return rows, because SQLite
 * would copy them to a temporary table, and the copy may cost as much as the change. Resolves with the number of
 * changed rows.
 */
export function hotChange<DB, P extends object>(
	build: (db: Kysely<DB>, p: Parameter<P>) => Compilable<InsertResult | UpdateResult>,
): (db: Kysely<DB>, parameters: P) => Promise<number> {
	const run = prepared(build);
	return async (db, values) => Number((await run(db, values)).numAffectedRows ?? 0);
}

/**
 * Creates a statement as `hotStatement` does, for the insertion of one row. `column` is the column of the generated
 * integer key. Resolves with the key of the inserted row, or with undefined if no row was inserted.
 */
export function hotInsert<DB, P extends object, T extends keyof DB>(
	column: string,
	build: (db: Kysely<DB>, p: Parameter<P>) => InsertQueryBuilder<DB, T, InsertResult>,
): (db: Kysely<DB>, parameters: P) => Promise<number | undefined> {
	const run = prepared<DB, P, { key?: number } | InsertResult>((db, p) => {
		const insert = build(db, p);
		// SQLite reports the key of every inserted row even without `returning`.
		return isSqlite(db) ? insert : insert.returning(sql.ref<number>(column).as("key"));
	});
	return async (db, values) => {
		const { rows, insertId, numAffectedRows } = await run(db, values);
		if (isSqlite(db)) return numAffectedRows === 0n ? undefined : Number(insertId);
		const [row] = rows;
		return row && "key" in row ? Number(row.key) : undefined;
	};
}

function isSqlite<DB>(db: Kysely<DB>): boolean {
	return db.getExecutor().adapter instanceof SqliteAdapter;
}

function prepared<DB, P extends object, R>(
	build: (db: Kysely<DB>, p: Parameter<P>) => Compilable<R>,
): (db: Kysely<DB>, values: P) => Promise<QueryResult<R>> {
	const compiledFor = new WeakMap<object, Compiled<R>>();
	// The placeholder does not have the type of the parameter, but the builder only passes the placeholder on.
	const p = <K extends keyof P>(name: K) => new Placeholder(name) as P[K];
	return (db, values) => {
		const executor = db.getExecutor();
		const dialect = executor.adapter.constructor;
		let compiled = compiledFor.get(dialect);
		if (compiled === undefined) {
			compiled = new Compiled(build(db, p).compile());
			compiledFor.set(dialect, compiled);
		}
		const query = compiled.bind(values);
		return executor.provideConnection((connection) => connection.executeQuery<R>(query));
	};
}

class Compiled<R> {
	readonly #query: CompiledQuery<R>;
	/** Names of the parameters by position. Undefined at the position of a constant value in the statement. */
	readonly #names: readonly (PropertyKey | undefined)[];

	constructor(query: CompiledQuery<R>) {
		this.#query = query;
		this.#names = query.parameters.map((one) => (one instanceof Placeholder ? one.name : undefined));
	}

	bind(values: object): CompiledQuery<R> {
		const { sql, query, queryId, parameters: fixed } = this.#query;
		// The cast is safe because any key of an object can be read. A missing key is undefined.
		const given = values as Readonly<Record<PropertyKey, unknown>>;
		const parameters: unknown[] = [];
		for (let at = 0; at < fixed.length; at++) {
			const name = this.#names[at];
			parameters.push(name === undefined ? fixed[at] : given[name]);
		}
		return { sql, query, queryId, parameters };
	}
}

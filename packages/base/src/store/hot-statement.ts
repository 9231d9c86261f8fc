import type { Compilable, CompiledQuery, Kysely } from "kysely";

/** Runs a prepared statement; resolves with the rows of a query that returns rows, otherwise with none. */
export type HotStatement<DB, P, R> = (db: Kysely<DB>, parameters: P) => Promise<R[]>;

/** Stands for a value while the query is built, and is found again among the parameters of the compiled one. */
class Placeholder {
	readonly name: PropertyKey;

	constructor(name: PropertyKey) {
		this.name = name;
	}
}

/**
 * A statement that is built and compiled on its first use with an engine and from then on only bound and run, for
 * paths where building a query each time would cost more than running it. `p("name")` marks where a parameter goes;
 * it may stand wherever a single value may. `R` is a row of the result, checked against the query.
 */
export function hotStatement<DB, P extends object, R = unknown>(
	build: (db: Kysely<DB>, p: <K extends keyof P>(name: K) => P[K]) => Compilable<R>,
): HotStatement<DB, P, R> {
	const compiledFor = new WeakMap<object, Compiled<R>>();
	// A placeholder is no value of the parameter's type, but the builder only passes it on.
	const p = <K extends keyof P>(name: K) => new Placeholder(name) as P[K];
	return async (db, values) => {
		const executor = db.getExecutor();
		const dialect = executor.adapter.constructor;
		let compiled = compiledFor.get(dialect);
		if (compiled === undefined) {
			compiled = new Compiled(build(db, p).compile());
			compiledFor.set(dialect, compiled);
		}
		const query = compiled.bind(values);
		const result = await executor.provideConnection((connection) => connection.executeQuery<R>(query));
		return result.rows;
	};
}

/** A compiled statement that knows where its parameters go. */
class Compiled<R> {
	readonly #query: CompiledQuery<R>;
	/** By their places; undefined where a value of the statement itself stands. */
	readonly #names: readonly (PropertyKey | undefined)[];

	constructor(query: CompiledQuery<R>) {
		this.#query = query;
		this.#names = query.parameters.map((one) => (one instanceof Placeholder ? one.name : undefined));
	}

	bind(values: object): CompiledQuery<R> {
		const { sql, query, queryId, parameters: fixed } = this.#query;
		// True because an object may be asked for any key; what it lacks is undefined.
		const given = values as Readonly<Record<PropertyKey, unknown>>;
		const parameters: unknown[] = [];
		for (let at = 0; at < fixed.length; at++) {
			const name = this.#names[at];
			parameters.push(name === undefined ? fixed[at] : given[name]);
		}
		return { sql, query, queryId, parameters };
	}
}

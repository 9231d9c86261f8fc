import { PostgresDialect } from "kysely";
import pg from "pg";
import type { Failpoints } from "../failpoints.ts";
import { type Logger, silentLogger } from "../log.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

/** Where the database is and what must be in it. */
export interface PostgresStoreOptions {
	/** `postgresql://USER@HOST:PORT/DATABASE`, or with `?host=DIRECTORY` for a socket. */
	readonly connection: string;
	readonly migrations: readonly Migration[];
	/** `store.commit` is reached before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
	/** Told of each transaction that is tried anew. */
	readonly log?: Logger;
}

/**
 * A store on a PostgreSQL server, which any number of processes may have open, `read committed`: what must hold between
 * them stands in the `where` of a statement. A transaction that the server undoes for the sake of another one (a deadlock)
 * is tried anew. What is going on when the server goes away or the connection is lost rejects with `unavailable`, and
 * what comes later connects anew. When the connection is lost during a commit, nobody knows whether the server had made
 * it durable: that is why such a transaction is not tried anew. One that stands still for seconds loses its connection.
 */
export function openPostgresStore<DB>(options: PostgresStoreOptions): Promise<Store<DB>> {
	const { connection, migrations, failpoints, log = silentLogger } = options;
	return openDialectStore<DB>({
		migrations,
		failpoints,
		errors: { isOver, isUndone },
		onUndone: (error, nextTry) =>
			log.warn("the database undid a transaction, which is tried anew", { nextTry, error }),
		writer: dialectOf({
			connectionString: connection,
			idle_in_transaction_session_timeout: mostIdleMs,
		}),
		reader: dialectOf({ connectionString: connection, options: "-c default_transaction_read_only=on" }),
	});
}

/**
 * A process that stands still in a transaction (stopped, frozen with its machine) keeps everybody waiting for the rows
 * that it has written; after so long the server ends the transaction with its connection. A command waits for nothing
 * but its own queries, so that one at work is never idle for anything like it.
 */
const mostIdleMs = 5_000;

function dialectOf(config: pg.PoolConfig): PostgresDialect {
	const pool = new pg.Pool({ ...config, max: 1, types: { getTypeParser } });
	// A connection that is lost while nobody uses it is taken out of the pool; while somebody does, the query rejects.
	const ignore = (): void => undefined;
	pool.on("error", ignore);
	pool.on("connect", (client) => client.on("error", ignore));
	return new PostgresDialect({ pool });
}

const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (type, format) =>
	type === pg.types.builtins.INT8 ? parseInt8 : pg.types.getTypeParser(type, format);

/** As PGlite and SQLite have it: a number wherever that is exact. */
function parseInt8(text: string): number | bigint {
	const number = Number(text);
	return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * Connection, resources and shutdown: https://www.postgresql.org/docs/15/errcodes-appendix.html.
 * Errors that are not the server's are those of the connection.
 */
function isOver(error: unknown): boolean {
	return (
		isUndone(error) || !(error instanceof pg.DatabaseError) || /^(?:08|25P03|53|57P)/.test(error.code ?? "")
	);
}

/** Serialization and deadlock: https://www.postgresql.org/docs/15/mvcc-serialization-failure-handling.html. */
function isUndone(error: unknown): boolean {
	return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

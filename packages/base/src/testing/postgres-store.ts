import { PostgresDialect } from "kysely";
import pg from "pg";
import type { Failpoints } from "../failpoints.ts";
import { type Logger, silentLogger } from "../log.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

export interface PostgresStoreOptions {
	/** `postgresql://USER@HOST:PORT/DATABASE`, or with `?host=DIRECTORY` for a socket. */
	readonly connection: string;
	readonly migrations: readonly Migration[];
	/** `store.commit` is reached before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
	/** Called for each transaction that is retried. */
	readonly log?: Logger;
}

/**
 * Store on a PostgreSQL server that any number of processes may use. Isolation is `read committed`: a condition between
 * processes must be in the `where` of a statement. A transaction that the server rolls back because of a deadlock is
 * retried. If the server or the connection fails, running calls reject with `unavailable` and later ones connect again.
 * After a loss during a commit, the result is unknown, so that transaction is not retried. A transaction that is idle for
 * seconds loses its connection.
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
			idle_in_transaction_session_timeout: maxIdleMs,
		}),
		reader: dialectOf({ connectionString: connection, options: "-c default_transaction_read_only=on" }),
	});
}

/**
 * A process that stops inside a transaction blocks all that wait for its rows. After this time, the server ends the
 * transaction and its connection. A running command is never idle that long, because it waits only for its own queries.
 */
const maxIdleMs = 5_000;

function dialectOf(config: pg.PoolConfig): PostgresDialect {
	const pool = new pg.Pool({ ...config, max: 1, types: { getTypeParser } });
	// A connection that is lost while idle leaves the pool; otherwise the query rejects.
	const ignore = (): void => undefined;
	pool.on("error", ignore);
	pool.on("connect", (client) => client.on("error", ignore));
	return new PostgresDialect({ pool });
}

const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (type, format) =>
	type === pg.types.builtins.INT8 ? parseInt8 : pg.types.getTypeParser(type, format);

/** Returns numbers like PGlite and SQLite, if they are exact. */
function parseInt8(text: string): number | bigint {
	const number = Number(text);
	return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * Connection, resources and shutdown: https://www.postgresql.org/docs/15/errcodes-appendix.html. Other errors are
 * those of the connection.
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

import { PostgresDialect } from "kysely";
import pg from "pg";
import type { Failpoints } from "../failpoints.ts";
import { type Logger, silentLogger } from "../log.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

export interface PostgresStoreOptions {
	/** Connection string: `postgresql://USER@HOST:PORT/DATABASE`, or with `?host=DIRECTORY` for a socket. */
	readonly connection: string;
	readonly migrations: readonly Migration[];
	/** Failpoints: `store.commit` before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
	/** Logs each retry of a transaction. */
	readonly log?: Logger;
}

/**
 * Opens a store on a PostgreSQL server that any number of processes may use. The isolation level is `read committed`. A
 * condition that another process may change must therefore be in the `where` of a statement. A transaction that the
 * server rolls back because of a conflict is retried. If the server or connection fails, running calls reject with
 * `unavailable`, and later calls connect again. If the connection is lost during a commit, the result of the commit is
 * unknown, so the transaction is not retried. If a transaction is idle longer than `maxIdleMs`, the server ends its
 * connection.
 */
export function openPostgresStore<DB>(options: PostgresStoreOptions): Promise<Store<DB>> {
	const { connection, migrations, failpoints, log = silentLogger } = options;
	return openDialectStore<DB>({
		migrations,
		failpoints,
		errors: { isOver, isUndone },
		onUndone: (error, nextTry) =>
			log.warn("the database rolled back a transaction, which is retried", { nextTry, error }),
		writer: dialectOf({
			connectionString: connection,
			idle_in_transaction_session_timeout: maxIdleMs,
		}),
		reader: dialectOf({ connectionString: connection, options: "-c default_transaction_read_only=on" }),
	});
}

/**
 * Maximum idle milliseconds in a transaction. A process that stops inside a transaction blocks all processes that wait
 * for the transaction's rows. The transaction of a running command is never idle for 5 s, because the command waits
 * only for its own queries.
 */
const maxIdleMs = 5_000;

function dialectOf(config: pg.PoolConfig): PostgresDialect {
	const pool = new pg.Pool({ ...config, max: 1, types: { getTypeParser } });
	// Errors are ignored here: an idle connection that is lost leaves the pool, and a running query rejects.
	const ignore = (): void => undefined;
	pool.on("error", ignore);
	pool.on("connect", (client) => client.on("error", ignore));
	return new PostgresDialect({ pool });
}

const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (type, format) =>
	type === pg.types.builtins.INT8 ? parseInt8 : pg.types.getTypeParser(type, format);

function parseInt8(text: string): number | bigint {
	const number = Number(text);
	// As in PGlite, an integer is a `number` if the number is exact, and otherwise a `bigint`.
	return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * Whether an error ends the transaction or the connection: https://www.postgresql.org/docs/15/errcodes-appendix.html.
 * The codes stand for errors of the connection, of idle transactions, of resources and of the shutdown. An error that
 * is not a `DatabaseError` comes from the connection.
 */
function isOver(error: unknown): boolean {
	return (
		isUndone(error) || !(error instanceof pg.DatabaseError) || /^(?:08|25P03|53|57P)/.test(error.code ?? "")
	);
}

/**
 * Whether the server rolled the transaction back because of a serialization failure or deadlock:
 * https://www.postgresql.org/docs/15/mvcc-serialization-failure-handling.html.
 */
function isUndone(error: unknown): boolean {
	return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

import { PostgresDialect } from "kysely";
import pg from "pg";
import type { Failpoints } from "../failpoints.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

/** Where the database is and what must be in it. */
export interface PostgresStoreOptions {
	/** `postgresql://USER@HOST:PORT/DATABASE`, or with `?host=DIRECTORY` for a socket. */
	readonly connection: string;
	readonly migrations: readonly Migration[];
	/** `store.commit` is reached before each commit, `store.committed` after it. */
	readonly failpoints?: Failpoints;
}

/**
 * A store on a PostgreSQL server, which any number of processes may have open, `read committed`: what must hold between
 * them stands in the `where` of a statement. What is going on when the server ends a transaction (a deadlock, a
 * shutdown) or the connection is lost rejects with `unavailable`, and what comes later connects anew. When the
 * connection is lost during a commit, nobody knows whether the server had made it durable.
 */
export function openPostgresStore<DB>(options: PostgresStoreOptions): Promise<Store<DB>> {
	const { connection, migrations, failpoints } = options;
	return openDialectStore<DB>({
		...{ migrations, failpoints, isOver },
		writer: dialectOf({ connectionString: connection }),
		reader: dialectOf({ connectionString: connection, options: "-c default_transaction_read_only=on" }),
	});
}

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
 * Connection, resources and shutdown; serialization and deadlock: https://www.postgresql.org/docs/15/errcodes-appendix.html.
 * Errors that are not the server's are those of the connection.
 */
function isOver(error: unknown): boolean {
	return !(error instanceof pg.DatabaseError) || /^(?:08|53|57P|40001|40P01)/.test(error.code ?? "");
}

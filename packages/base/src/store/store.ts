import type { Kysely } from "kysely";
import { defined } from "../defined.ts";
import { ParleyError } from "../errors.ts";

/** The SQL dialects a store may speak. */
export type Engine = "sqlite" | "postgres";

/**
 * The SQL database behind everything that must survive a crash. `DB` lists the tables. Writers that may one day run on
 * several machines keep an `epoch` and a version `v` in each row; that is the business of their migrations.
 */
export interface Store<DB> {
	readonly engine: Engine;
	/**
	 * Runs a command in a transaction and resolves with its result when that is durable. All commands of one tick share
	 * the transaction, run strictly one after the other in the order of the calls, and resolve in that order. A command
	 * that throws is rolled back alone and rejects with its own error; when the transaction cannot be committed, every
	 * command in it rejects with `unavailable` and nothing of them remains. A command waits for nothing but its own
	 * queries: one that waits for another `commit` waits forever. Where the database undoes the transaction for the sake
	 * of another process's, its commands run again: what one leaves in memory it sets anew each time, and what must not
	 * happen twice comes after the commit.
	 */
	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T>;
	/** Runs a query that sees committed state only. Each statement sees the state of its own moment. */
	read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T>;
	/**
	 * Whether commits reach the disk, as the last ones told. While they do not, each call lets the store try again, so
	 * that it finds out by itself when they do.
	 */
	health(): StoreHealth;
	/** Finishes what was called before, then closes the database; later calls reject with `unavailable`. */
	close(): Promise<void>;
}

/** Whether a store can commit; `since` when it cannot is in milliseconds since the epoch. */
export interface StoreHealth {
	readonly state: "ok" | "failing" | "full";
	readonly since?: number;
}

/** One step of a schema, forward only. Steps run in the order of their names: `0001-sessions`. */
export interface Migration {
	readonly name: string;
	/** Runs in a transaction, with foreign keys not enforced on SQLite so that tables can be rebuilt. */
	up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

/**
 * Failure of the store itself: a commit that the disk refused, or a store that is closed. Its code is `unavailable`,
 * which models, tools and networks use as well. Code that retries until the store works must ask for this class.
 */
export class StoreError extends ParleyError {
	constructor(message: string, cause?: unknown) {
		super(message, { code: "unavailable", ...defined({ cause }) });
	}
}

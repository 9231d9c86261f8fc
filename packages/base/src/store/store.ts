import type { Kysely } from "kysely";
import { defined } from "../defined.ts";
import { ParleyError } from "../errors.ts";

export type Engine = "sqlite" | "postgres";

/** SQL database for all data that must survive a crash. `DB` lists the tables. */
export interface Store<DB> {
	readonly engine: Engine;
	/**
	 * Runs a command in a transaction and resolves with its result after the commit. All commands of one tick share a
	 * transaction; they run one after another in the order of the calls, and resolve in that order. A command that throws
	 * is rolled back alone and rejects with its own error. If the commit fails, every command in it rejects with
	 * `unavailable` and is undone. A command must wait only for its own queries: a wait for another `commit` never ends. If
	 * the database rolls the transaction back in favour of another process, its commands run again. A command must
	 * therefore reset its results in memory each time, and do the rest after the commit.
	 */
	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T>;
	/** Runs a query on committed data. Each statement sees the state of its own moment. */
	read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T>;
	/**
	 * Whether commits reach the disk, according to the last ones. While they fail, each call makes the store try
	 * again.
	 */
	health(): StoreHealth;
	/** Finishes earlier calls, then closes the database. Later calls reject with `unavailable`. */
	close(): Promise<void>;
}

/** Whether a store can commit. `since`: the start of the failure, in milliseconds since the epoch. */
export interface StoreHealth {
	readonly state: "ok" | "failing" | "full";
	readonly since?: number;
}

/** One step of a schema, forward only. Steps run in the order of their names, for example `0001-sessions`. */
export interface Migration {
	readonly name: string;
	/** Runs in a transaction. SQLite does not enforce foreign keys in it, so that tables can be rebuilt. */
	up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

/**
 * Failure of the store itself: a failed commit, or a closed store. Models, tools and networks use its code
 * `unavailable`, too. Code that retries until the store works must check for this class.
 */
export class StoreError extends ParleyError {
	constructor(message: string, cause?: unknown) {
		super(message, { code: "unavailable", ...defined({ cause }) });
	}
}

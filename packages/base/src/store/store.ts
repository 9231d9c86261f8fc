import type { Kysely } from "kysely";
import { defined } from "../defined.ts";
import { ParleyError } from "../errors.ts";

export type Engine = "sqlite" | "postgres";

/** SQL database. It stores all data that must survive a crash of the program. `DB` is the type of the tables. */
export interface Store<DB> {
	readonly engine: Engine;
	/**
	 * Runs a command in a transaction and resolves with the command's result after the commit. All commands of one tick
	 * share a transaction. They run sequentially in the order of the calls, and resolve in that order. If a command
	 * throws, only that command is rolled back, and its call rejects with the thrown error. If the disk or the commit
	 * fails, every command in the transaction rejects with `unavailable` and is undone. A command must wait only for its
	 * own queries: a wait for another `commit` never ends. If the database rolls the transaction back in favour of
	 * another process, its commands run again. A command must therefore reset its results in memory each time it runs,
	 * and defer other effects until after the commit.
	 */
	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T>;
	/** Runs a query on committed data. Each statement sees the data that was committed before it started. */
	read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T>;
	/**
	 * Returns whether the last commit reached the disk. While commits fail, a call starts another attempt if none is
	 * running.
	 */
	health(): StoreHealth;
	/** Finishes earlier calls, then closes the database. Later calls reject with `unavailable`. */
	close(): Promise<void>;
}

/** Whether a store can commit. `since`: start of the failure in milliseconds since the epoch. */
export interface StoreHealth {
	readonly state: "ok" | "failing" | "full";
	readonly since?: number;
}

/** One step of a schema. Steps run forward only, in the order of their names, for example `0001-sessions`. */
export interface Migration {
	readonly name: string;
	/**
	 * Runs the step in a transaction. SQLite does not enforce foreign keys in the transaction, so that tables can be
	 * rebuilt.
	 */
	up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

/**
 * Failure of the store itself: a failed commit, or a closed store. The error code is `unavailable`, as for some
 * failures of models, tools and networks. Code that retries until the store works must therefore check for the class
 * `StoreError`.
 */
export class StoreError extends ParleyError {
	constructor(message: string, cause?: unknown) {
		super(message, { code: "unavailable", ...defined({ cause }) });
	}
}

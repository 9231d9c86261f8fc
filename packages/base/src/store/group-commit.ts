import { type DatabaseConnection, DefaultQueryExecutor, type Dialect, type Driver, Kysely } from "kysely";
import { ParleyError } from "../errors.ts";
import type { Failpoints } from "../failpoints.ts";
import type { StorageFailure, StorageHealth } from "./storage-health.ts";
import { StoreError, type StoreHealth } from "./store.ts";

type Awaitable = Promise<void> | void;

/** The transaction statements of one connection. */
export interface TransactionControl {
	begin(): Awaitable;
	commit(): Awaitable;
	/** Rolls the transaction back. Does nothing if no transaction is open. */
	rollback(): Awaitable;
	savepoint(): Awaitable;
	releaseSavepoint(): Awaitable;
	rollbackToSavepoint(): Awaitable;
	/**
	 * Writes to the disk without changing data, because a transaction that writes nothing does not show whether the disk
	 * works.
	 */
	probe?(): Awaitable;
	/** Returns the kind of disk failure if the error reports a disk failure. Returns undefined for any other error. */
	failure?(error: unknown): StorageFailure | undefined;
	/**
	 * Whether the database rolled the transaction back in favour of another transaction. If so, a retry of the
	 * transaction can succeed.
	 */
	isUndone?(error: unknown): boolean;
}

export interface GroupCommitOptions<DB> {
	/** Query builder on the connection of `control`. */
	readonly tx: Kysely<DB>;
	readonly control: TransactionControl;
	readonly failpoints: Failpoints;
	readonly health: StorageHealth;
	readonly watch?: TransactionWatch | undefined;
	readonly onUndone?: UndoneWatch | undefined;
}

/**
 * Callback before a transaction is retried, after the database rolled the transaction back. `nextTry`: number of the
 * next attempt, from 2.
 */
export type UndoneWatch = (cause: unknown, nextTry: number) => void;

/**
 * Callback at the start of a transaction with `commands` commands. The returned function is called when the transaction
 * has been committed or has failed.
 */
export type TransactionWatch = (commands: number) => () => void;

type Settle = () => void;

/**
 * Maximum attempts of one transaction if each attempt conflicts with another transaction. After the last attempt, the
 * commands in the transaction are rejected as `unavailable`.
 */
const maxTries = 10;

interface Queued {
	/** Runs the command. The returned function reports the result to the caller, and is called after the commit. */
	execute(): Promise<Settle>;
	reject(reason: unknown): void;
}

/**
 * Implementation of `Store.commit` for one connection. Waiting commands share one transaction. If the transaction has
 * several commands, each command has a savepoint.
 */
export class GroupCommit<DB> {
	readonly #tx: Kysely<DB>;
	readonly #control: TransactionControl;
	readonly #failpoints: Failpoints;
	readonly #health: StorageHealth;
	readonly #watch: TransactionWatch | undefined;
	readonly #onUndone: UndoneWatch | undefined;
	#trying = false;
	#queue: Queued[] = [];
	#flushing: Promise<void> | undefined;
	#closed = false;

	constructor(options: GroupCommitOptions<DB>) {
		this.#tx = options.tx;
		this.#control = options.control;
		this.#failpoints = options.failpoints;
		this.#health = options.health;
		this.#watch = options.watch;
		this.#onUndone = options.onUndone;
	}

	/** Runs a command: see `Store.commit`. */
	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		if (this.#closed) return Promise.reject(new StoreError("the store is closed"));
		return new Promise((resolve, reject) => {
			const execute = async (): Promise<Settle> => {
				const value = await command(this.#tx);
				return () => resolve(value);
			};
			this.#queue.push({ execute, reject });
			this.#flushing ??= this.#flushUntilEmpty();
		});
	}

	/** Returns the state of the disk: see `Store.health`. If commits fail, starts a test commit in the background. */
	health(): StoreHealth {
		const { current } = this.#health;
		if (current.state !== "ok" && !this.#trying && !this.#closed) void this.#try();
		return current;
	}

	/** Refuses later commands. Resolves when earlier commands are settled. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#flushing;
	}

	/** Commits an empty command, to show in `health` whether commits work again. */
	async #try(): Promise<void> {
		this.#trying = true;
		await Promise.allSettled([this.commit(async () => undefined)]);
		this.#trying = false;
	}

	async #flushUntilEmpty(): Promise<void> {
		while (this.#queue.length > 0) {
			// Waits until the end of the tick, so that all commands of the tick share one transaction.
			await new Promise((resolve) => setImmediate(resolve));
			const batch = this.#queue;
			this.#queue = [];
			const done = this.#watch?.(batch.length);
			const settles = await this.#persist(batch);
			done?.();
			for (const settle of settles) settle();
		}
		this.#flushing = undefined;
	}

	/**
	 * Runs the commands in one transaction, and resolves with the functions that report the results of the commands.
	 * Tries up to `maxTries` times if the database rolls the transaction back in favour of another transaction. After
	 * such a rollback, nothing has changed, and no caller has a result yet.
	 */
	async #persist(batch: readonly Queued[]): Promise<Settle[]> {
		const [only, ...others] = batch;
		for (let nextTry = 2; ; nextTry++) {
			try {
				return await (only && others.length === 0 ? this.#transactOne(only) : this.#transact(batch));
			} catch (error) {
				const cause = await this.#rollback(error);
				if (nextTry > maxTries || this.#control.isUndone?.(cause) !== true) return this.#lost(batch, cause);
				this.#onUndone?.(cause, nextTry);
			}
		}
	}

	/** Runs the commands in one transaction. Throws if the transaction is lost. */
	async #transact(batch: readonly Queued[]): Promise<Settle[]> {
		const settles: Settle[] = [];
		await this.#control.begin();
		for (const command of batch) settles.push(await this.#executeAlone(command));
		await this.#commit();
		return settles;
	}

	/**
	 * Runs a single command without a savepoint, because the complete transaction can be rolled back if the command
	 * fails.
	 */
	async #transactOne(command: Queued): Promise<Settle[]> {
		await this.#control.begin();
		const settle = await this.#failing(command);
		if (settle.failed) await this.#control.rollback();
		else await this.#commit();
		return [settle.settle];
	}

	async #commit(): Promise<void> {
		await this.#failpoints.reach("store.commit");
		// A transaction that writes nothing succeeds even on a full disk.
		if (this.#health.current.state !== "ok") await this.#control.probe?.();
		await this.#control.commit();
		this.#health.worked();
		await this.#failpoints.reach("store.committed");
	}

	/**
	 * Runs a command without a savepoint, and reports whether the command failed. Throws only if the transaction itself
	 * is lost.
	 */
	async #failing(command: Queued): Promise<{ readonly failed: boolean; readonly settle: Settle }> {
		try {
			return { failed: false, settle: await command.execute() };
		} catch (reason) {
			this.#throwIfOfStorage(reason);
			return { failed: true, settle: () => command.reject(reason) };
		}
	}

	/**
	 * Throws `reason` if it is a disk failure, because the command did not cause the failure, and SQLite may have rolled
	 * back the complete transaction.
	 */
	#throwIfOfStorage(reason: unknown): void {
		if (this.#control.failure?.(reason) !== undefined) throw reason;
	}

	#lost(batch: readonly Queued[], cause: unknown): Settle[] {
		const reason = this.#health.failed(this.#control.failure?.(cause) ?? "failing", cause);
		return batch.map((command) => () => command.reject(reason));
	}

	/** Runs a command in a savepoint. Throws only if the transaction itself is lost. */
	async #executeAlone(command: Queued): Promise<Settle> {
		await this.#control.savepoint();
		try {
			const settle = await command.execute();
			await this.#control.releaseSavepoint();
			return settle;
		} catch (reason) {
			this.#throwIfOfStorage(reason);
			await this.#control.rollbackToSavepoint();
			await this.#control.releaseSavepoint();
			return () => command.reject(reason);
		}
	}

	/** Rolls back the transaction and returns `cause`. If the rollback also fails, returns both errors in one. */
	async #rollback(cause: unknown): Promise<unknown> {
		try {
			await this.#control.rollback();
			return cause;
		} catch (rollbackCause) {
			return new AggregateError([cause, rollbackCause], "neither commit nor rollback succeeded");
		}
	}
}

/**
 * Creates a query builder that sends all queries to one connection, without locks. The owner of the connection begins
 * and ends transactions. `transaction()` is refused.
 */
export function boundKysely<DB>(dialect: Dialect, connection: DatabaseConnection): Kysely<DB> {
	const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
		provideConnection: (consumer) => consumer(connection),
	});
	return new Kysely<DB>({ config: { dialect }, dialect, driver: boundDriver(connection), executor });
}

function boundDriver(connection: DatabaseConnection): Driver {
	const refuse = async (): Promise<never> => {
		throw new ParleyError("the store begins and ends transactions: use commit", {
			code: "failed_precondition",
		});
	};
	return {
		init: async () => undefined,
		acquireConnection: async () => connection,
		releaseConnection: async () => undefined,
		beginTransaction: refuse,
		commitTransaction: refuse,
		rollbackTransaction: refuse,
		destroy: refuse,
	};
}

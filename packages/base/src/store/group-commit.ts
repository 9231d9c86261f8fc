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
	/** Does nothing when no transaction is open. */
	rollback(): Awaitable;
	savepoint(): Awaitable;
	releaseSavepoint(): Awaitable;
	rollbackToSavepoint(): Awaitable;
	/** Writes something that changes nothing, where a transaction may have written nothing. */
	probe?(): Awaitable;
	/** What the error says of the disk; undefined for one that says nothing of it. */
	failure?(error: unknown): StorageFailure | undefined;
	/** Whether the database has undone the transaction for the sake of another one, so that it can be tried anew. */
	isUndone?(error: unknown): boolean;
}

/** What a group commit works on. */
export interface GroupCommitOptions<DB> {
	/** Bound to the connection that `control` controls. */
	readonly tx: Kysely<DB>;
	readonly control: TransactionControl;
	readonly failpoints: Failpoints;
	readonly health: StorageHealth;
	readonly watch?: TransactionWatch | undefined;
	readonly onUndone?: UndoneWatch | undefined;
}

/** Called with the error each time that a transaction was undone and is tried anew, and which try that will be. */
export type UndoneWatch = (cause: unknown, nextTry: number) => void;

/** Called when a transaction of so many commands begins; what it returns is called at the end, however that came. */
export type TransactionWatch = (commands: number) => () => void;

type Settle = () => void;

/** Where each try meets another transaction: who has to wait for so many is told that the store is not available. */
const mostTries = 10;

interface Queued {
	/** Runs the command; returns what tells its caller the result once that is durable. */
	execute(): Promise<Settle>;
	reject(reason: unknown): void;
}

/**
 * One transaction per tick of the event loop, each command of it in a savepoint: `Store.commit` for one connection.
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

	/** See `Store.commit`. */
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

	/** See `Store.health`. */
	health(): StoreHealth {
		const { current } = this.#health;
		if (current.state !== "ok" && !this.#trying && !this.#closed) void this.#try();
		return current;
	}

	/** Refuses later commands and resolves when the earlier ones are settled. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#flushing;
	}

	/** What comes of it is to be seen in `health`. */
	async #try(): Promise<void> {
		this.#trying = true;
		await Promise.allSettled([this.commit(async () => undefined)]);
		this.#trying = false;
	}

	async #flushUntilEmpty(): Promise<void> {
		while (this.#queue.length > 0) {
			// All commands that the input of this tick causes share one write to the disk.
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

	/** What was undone left nothing and nobody was told of it: all its commands run anew, in their order. */
	async #persist(batch: readonly Queued[]): Promise<Settle[]> {
		const [only, ...others] = batch;
		for (let nextTry = 2; ; nextTry++) {
			try {
				return await (only && others.length === 0 ? this.#transactOne(only) : this.#transact(batch));
			} catch (error) {
				const cause = await this.#rollback(error);
				if (nextTry > mostTries || this.#control.isUndone?.(cause) !== true) return this.#lost(batch, cause);
				this.#onUndone?.(cause, nextTry);
			}
		}
	}

	/** Throws when the transaction is lost. */
	async #transact(batch: readonly Queued[]): Promise<Settle[]> {
		const settles: Settle[] = [];
		await this.#control.begin();
		for (const command of batch) settles.push(await this.#executeAlone(command));
		await this.#commit();
		return settles;
	}

	/** A command that has the tick to itself needs no savepoint: it is rolled back with its transaction. */
	async #transactOne(command: Queued): Promise<Settle[]> {
		await this.#control.begin();
		const settle = await this.#failing(command);
		if (settle.failed) await this.#control.rollback();
		else await this.#commit();
		return [settle.tell];
	}

	async #commit(): Promise<void> {
		await this.#failpoints.reach("store.commit");
		// On a full disk a transaction that writes nothing succeeds, which says nothing.
		if (this.#health.current.state !== "ok") await this.#control.probe?.();
		await this.#control.commit();
		this.#health.worked();
		await this.#failpoints.reach("store.committed");
	}

	/** Throws only when the transaction itself is lost. */
	async #failing(command: Queued): Promise<{ readonly failed: boolean; readonly tell: Settle }> {
		try {
			return { failed: false, tell: await command.execute() };
		} catch (reason) {
			this.#throwIfOfStorage(reason);
			return { failed: true, tell: () => command.reject(reason) };
		}
	}

	/** That the disk fails is no fault of the command that finds out, and ends the transaction: SQLite may have done so. */
	#throwIfOfStorage(reason: unknown): void {
		if (this.#control.failure?.(reason) !== undefined) throw reason;
	}

	/** Nothing of these commands remains. */
	#lost(batch: readonly Queued[], cause: unknown): Settle[] {
		const reason = this.#health.failed(this.#control.failure?.(cause) ?? "failing", cause);
		return batch.map((command) => () => command.reject(reason));
	}

	/** Throws only when the transaction itself is lost. */
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

	/** What went wrong, including a rollback that went wrong too: the next `begin` fails then. */
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
 * A query builder that sends everything straight to one connection: it takes no lock and acquires nothing. Whoever
 * holds it decides when transactions begin and end; `transaction()` on it is refused.
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

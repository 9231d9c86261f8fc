import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, Kysely } from "kysely";
import { systemClock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import { type Failpoints, noFailpoints } from "../failpoints.ts";
import {
	boundKysely,
	GroupCommit,
	type TransactionControl,
	type UndoneWatch,
} from "../store/group-commit.ts";
import { findPending, migrate } from "../store/migrate.ts";
import { StorageHealth } from "../store/storage-health.ts";
import { type Migration, type Store, StoreError } from "../store/store.ts";

interface DialectStoreOptions {
	/** Dialect for writing, with one connection. */
	readonly writer: Dialect;
	/** Dialect for reading. Its queries do not see the writer's changes before the commit. */
	readonly reader: Dialect;
	readonly migrations: readonly Migration[];
	readonly failpoints?: Failpoints | undefined;
	/**
	 * Classification of errors, for a database server. A server may stop, and other processes may use it. Default: no
	 * error is special.
	 */
	readonly errors?: ServerErrors;
	readonly onUndone?: UndoneWatch | undefined;
}

export interface ServerErrors {
	/** Whether the error ends the transaction or connection. */
	isOver(error: unknown): boolean;
	/** Whether the server rolled the transaction back and allows a retry. */
	isUndone(error: unknown): boolean;
}

const noErrors: ServerErrors = { isOver: () => false, isUndone: () => false };

export async function openDialectStore<DB>(options: DialectStoreOptions): Promise<Store<DB>> {
	const { writer, reader, migrations, errors = noErrors, onUndone } = options;
	const [writes, reads] = [writer.createDriver(), reader.createDriver()];
	await Promise.all([writes.init(), reads.init()]);
	const end = async (): Promise<void> => {
		await writes.destroy();
		await reads.destroy();
	};
	try {
		const schema = { db: new Kysely<unknown>({ dialect: writer }), engine: "postgres", migrations } as const;
		await throwIfOver(errors, async () => {
			if ((await findPending(schema)) !== undefined) await migrate(schema);
		});
	} catch (error) {
		await end();
		throw error;
	}
	const transaction = new Transaction(writes, errors);
	const commits = new GroupCommit({
		tx: boundKysely<DB>(writer, transaction),
		control: transaction,
		failpoints: options.failpoints ?? noFailpoints,
		health: new StorageHealth(systemClock),
		onUndone,
	});
	return storeOf(commits, boundKysely<DB>(reader, eachQuery(reads, errors)), end);
}

function storeOf<DB>(commits: GroupCommit<DB>, db: Kysely<DB>, end: () => Promise<void>): Store<DB> {
	let closing: Promise<void> | undefined;
	return {
		engine: "postgres",
		commit: (command) => commits.commit(command),
		read: async (query) => {
			if (closing !== undefined) throw new StoreError("the store is closed");
			return query(db);
		},
		health: () => commits.health(),
		close: () => {
			closing ??= commits.close().then(end);
			return closing;
		},
	};
}

/** Failure of the server or the connection during a query. The query did not cause the failure. */
class Interruption extends ParleyError {
	constructor(cause: unknown) {
		super("the database cannot be reached or has ended the transaction: try again", {
			code: "unavailable",
			cause,
		});
	}
}

async function throwIfOver<T>({ isOver }: ServerErrors, query: () => Promise<T>): Promise<T> {
	try {
		return await query();
	} catch (cause) {
		throw cause instanceof ParleyError || !isOver(cause) ? cause : new Interruption(cause);
	}
}

// biome-ignore lint/correctness/useYield: Kysely requires this method, and Parley does not use it
async function* streamQuery(): AsyncGenerator<never> {
	throw new ParleyError("cannot stream results: read pages with limit", { code: "unimplemented" });
}

/**
 * Returns a connection that acquires another connection for each query. After a connection is lost, the next query
 * therefore uses a new connection.
 */
function eachQuery(driver: Driver, errors: ServerErrors): DatabaseConnection {
	return {
		executeQuery: (query) =>
			throwIfOver(errors, async () => {
				const connection = await driver.acquireConnection();
				try {
					return await connection.executeQuery(query);
				} finally {
					await driver.releaseConnection(connection);
				}
			}),
		streamQuery,
	};
}

/** Acquires a connection for each transaction, so that transactions after a lost connection use another connection. */
class Transaction implements DatabaseConnection, TransactionControl {
	readonly streamQuery = streamQuery;
	readonly #driver: Driver;
	readonly #errors: ServerErrors;
	#connection: DatabaseConnection | undefined;

	constructor(driver: Driver, errors: ServerErrors) {
		this.#driver = driver;
		this.#errors = errors;
	}

	executeQuery: DatabaseConnection["executeQuery"] = async (query) => {
		const connection = this.#connection;
		if (!connection) throw new ParleyError("no transaction is open", { code: "failed_precondition" });
		return throwIfOver(this.#errors, () => connection.executeQuery(query));
	};

	async begin(): Promise<void> {
		this.#connection = await this.#driver.acquireConnection();
		await this.#driver.beginTransaction(this.#connection, { isolationLevel: "read committed" });
	}

	async commit(): Promise<void> {
		if (this.#connection) await this.#driver.commitTransaction(this.#connection);
		await this.#release();
	}

	async rollback(): Promise<void> {
		try {
			if (this.#connection) await this.#driver.rollbackTransaction(this.#connection);
		} finally {
			await this.#release();
		}
	}

	savepoint(): Promise<void> {
		return this.#run("savepoint command");
	}

	releaseSavepoint(): Promise<void> {
		return this.#run("release savepoint command");
	}

	rollbackToSavepoint(): Promise<void> {
		return this.#run("rollback to savepoint command");
	}

	failure(error: unknown): "failing" | undefined {
		return error instanceof Interruption ? "failing" : undefined;
	}

	/**
	 * Whether the server rolled the transaction back and allows a retry. `error`: an `Interruption` from a query, or the
	 * server's own error from a commit.
	 */
	isUndone(error: unknown): boolean {
		return this.#errors.isUndone(error instanceof Interruption ? error.cause : error);
	}

	async #run(text: string): Promise<void> {
		await this.executeQuery(CompiledQuery.raw(text));
	}

	async #release(): Promise<void> {
		const connection = this.#connection;
		this.#connection = undefined;
		if (connection) await this.#driver.releaseConnection(connection);
	}
}

import { DatabaseSync } from "node:sqlite";
import type { DatabaseConnection } from "kysely";
import { createIds } from "../ids.ts";
import { NodeSqliteConnection } from "./node-sqlite-dialect.ts";

/** What SQLite calls a database that is on no disk: https://www.sqlite.org/inmemorydb.html */
export const inMemory = ":memory:";

/** Two connections to a database of their own that is on no disk, and ends with them. */
export function openMemory(): { readonly writer: DatabaseSync; readonly reader: DatabaseSync } {
	// Only with this VFS can a second connection be one that cannot write: https://www.sqlite.org/src/file/src/memdb.c
	const file = `file:/parley-${createIds().uuid()}?vfs=memdb`;
	const writer = new DatabaseSync(file, { enableForeignKeyConstraints: false });
	// Nothing of it may lie in a file beside it, which is where a rollback would be read from.
	writer.exec("pragma journal_mode = memory");
	writer.exec("pragma temp_store = memory");
	return { writer, reader: new DatabaseSync(file, { readOnly: true }) };
}

/**
 * Reads between the transactions of the writer: in memory there is one state, which a reader cannot have as long as a
 * transaction changes it.
 */
export class BetweenTransactions extends NodeSqliteConnection {
	readonly #writer: DatabaseSync;

	constructor(reader: DatabaseSync, writer: DatabaseSync) {
		super(reader);
		this.#writer = writer;
	}

	override async executeQuery<R>(query: Parameters<DatabaseConnection["executeQuery"]>[0]) {
		// Its statements take no time of their own: it is over as soon as its commands had their turns.
		while (this.#writer.isTransaction) await new Promise((resolve) => setImmediate(resolve));
		return super.executeQuery<R>(query);
	}
}

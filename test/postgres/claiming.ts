import { createInterface } from "node:readline";
import { type ContractTables, contractMigration, openPostgresStore } from "@parley/base/testing";

/** Prints `ready`, then for each id on stdin `won` if this process answered first, otherwise `lost`. */
const [connection = ""] = process.argv.slice(2);
const store = await openPostgresStore<ContractTables>({ connection, migrations: [contractMigration] });
const writeLine = (word: string): boolean => process.stdout.write(`${word}\n`);
writeLine("ready");
for await (const id of createInterface(process.stdin)) {
	const { numUpdatedRows } = await store.commit((tx) =>
		tx
			.updateTable("items")
			.set({ state: "answered" })
			.where("id", "=", id)
			.where("state", "=", "open")
			.executeTakeFirstOrThrow(),
	);
	writeLine(numUpdatedRows === 1n ? "won" : "lost");
}
await store.close();

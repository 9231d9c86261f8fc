import { type ContractTables, contractMigration, openPostgresStore } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { expect } from "vitest";
import { testScale } from "../random.ts";
import { Claimant } from "./claimant.ts";
import { test } from "./postgres-test.ts";

const scale = testScale(10);

test("exactly one of two processes that answer at the same time wins each time", async ({ database }) => {
	const store = await openPostgresStore<ContractTables>({
		connection: database,
		migrations: [contractMigration],
	});
	const [first, second] = await Promise.all([Claimant.start(database), Claimant.start(database)]);
	for (let round = 0; round < 20 * scale; round++) {
		const id = `round ${round}`;
		await store.commit((tx) => tx.insertInto("items").values({ id, state: "open", n: 0 }).execute());
		const claims = await Promise.all([first.claim(id), second.claim(id)]);
		expect(claims.toSorted(), id).toEqual(["lost", "won"]);
	}
	await Promise.all([store.close(), first.end(), second.end()]);
});

test("stores that migrate a database at the same time do it once", async ({ server }) => {
	for (let round = 0; round < scale; round++) {
		const connection = await server.createDatabase();
		const opening = Array.from({ length: 4 }, () => openPostgresStore<Tables>({ connection, migrations }));
		const stores = await Promise.all(opening);
		const applied = await server.query("select name from kysely_migration order by name", connection);
		expect(applied.split("\n")).toEqual(migrations.map(({ name }) => name).toSorted());
		for (const store of stores) {
			expect(await store.read((db) => db.selectFrom("sessions").selectAll().execute())).toEqual([]);
			await store.close();
		}
	}
});

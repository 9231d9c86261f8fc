import { defined, type Store } from "@parley/base";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { ConnectorTables } from "../store/tables.ts";
import { openSqlite } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import type { Plan } from "./plan.ts";

/** Time at which the clock of a post office starts. */
const at = Date.UTC(2026, 0, 1);

function planOf(seq: number, payload: unknown, after?: number): Plan {
	const cursor = { session: "sess_1", seq, ...defined({ after }) };
	return { conversation: "general", cursor, rows: [{ seq, at, lane: "final", payload }] };
}

const open = (store?: Store<ConnectorTables>) => PostOffice.open(store && (async () => store));

test("the second of two posts in one transaction waits for the first", async () => {
	const { outbox, surface, store } = await open();
	const slow = Promise.withResolvers<undefined>();
	surface.script.push(() => slow.promise);
	await Promise.all([outbox.plan(planOf(1, "one")), outbox.plan(planOf(2, "two", 1))]);
	expect(surface.calls).toEqual(['send "one"']);
	slow.resolve(undefined);
	await store.quiet();
	expect(surface.calls).toEqual(['send "one"', 'send "two"']);
});

test("a post whose plan was rolled back in the same transaction blocks no other", async () => {
	const { outbox, surface, store } = await open();
	const refused = outbox.plan(planOf(1, "one"), async () => {
		throw new Error("no");
	});
	const other = outbox.plan({ ...planOf(1, "two"), cursor: { session: "sess_2", seq: 1 } });
	await expect(refused).rejects.toThrow("no");
	await other;
	expect(surface.calls).toEqual(['send "two"']);
	await store.quiet();
	await outbox.plan(planOf(1, "one"));
	await store.quiet();
	expect(surface.calls).toEqual(['send "two"', 'send "one"']);
});

test("a cursor with an unexpected value is read again, and planned rows are not planned again", async () => {
	const { outbox, surface, store } = await open();
	await outbox.plan(planOf(3, "three", 0));
	await outbox.plan(planOf(3, "three", 2));
	await outbox.plan(planOf(4, "four", 1));
	await store.quiet();
	expect(surface.calls).toEqual(['send "three"', 'send "four"']);
	expect(await outbox.cursor("sess_1")).toBe(4);
	await expect(outbox.plan(planOf(2, "two", 1))).rejects.toMatchObject({ code: "failed_precondition" });
});

test("a transaction that the database runs again sends its posts once", async () => {
	const sqlite = await openSqlite();
	const again: Store<ConnectorTables> = {
		engine: sqlite.engine,
		read: (query) => sqlite.read(query),
		health: () => sqlite.health(),
		close: () => sqlite.close(),
		commit: (command) =>
			sqlite.commit(async (tx) => {
				await sql`savepoint undone`.execute(tx);
				await command(tx);
				await sql`rollback to undone`.execute(tx);
				return command(tx);
			}),
	};
	const { outbox, surface, store } = await open(again);
	await outbox.plan(planOf(1, "one"));
	await outbox.plan(planOf(2, "two", 1));
	await store.quiet();
	expect(surface.calls).toEqual(['send "one"', 'send "two"']);
});

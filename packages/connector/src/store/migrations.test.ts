import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { readSessionCursor } from "../subscription/session-cursors.ts";
import { openSqlite } from "../testing/open-stores.ts";
import { connectorMigrations } from "./migrations.ts";
import type { ConnectorTables } from "./tables.ts";
import { isOpen } from "./tables.ts";

test("a database without conversations keeps its cursors, and its sessions are reduced again without posts", async () => {
	const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-connector-"));
	const file = join(directory, "connector.sqlite");
	const before = await openSqliteStore<ConnectorTables>({
		file,
		migrations: connectorMigrations.slice(0, 1),
	});
	const cursor = { session: "sess_1", conversation: "general", seq: 7, changed_at: 1 };
	await before.commit((tx) => tx.insertInto("cursors").values(cursor).execute());
	await before.close();
	const after = await openSqliteStore<ConnectorTables>({ file, migrations: connectorMigrations });
	expect(await after.read((db) => readSessionCursor(db, "sess_1"))).toEqual({ seq: 7, replayedTo: 0 });
	await after.close();
});

test.each([
	["outbox_open", sql`select * from outbox where conversation = ${"general"} and ${isOpen}`],
	["outbox_card", sql`select * from outbox where card = ${"task:1"} and state in (${"planned"}, ${"held"})`],
	["outbox_remote", sql`select * from outbox where remote = ${"77"}`],
])("SQLite uses the index %s for its query", async (index, query) => {
	const store = await openSqlite();
	const { rows } = await store.read((db) => sql`explain query plan ${query}`.execute(db));
	expect(rows).toEqual([
		expect.objectContaining({ detail: expect.stringContaining(`USING INDEX ${index} `) }),
	]);
	await store.close();
});

import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { expect, test } from "vitest";
import { readMark } from "../feed/marks.ts";
import { connectorMigrations } from "./migrations.ts";
import type { ConnectorTables } from "./tables.ts";

test("a database from before there were conversations keeps its cursors, and its sessions are told again in silence", async () => {
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
	expect(await after.read((db) => readMark(db, "sess_1"))).toEqual({ seq: 7, replayedTo: 0 });
	await after.close();
});

import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { connectorDatabaseFile, openConnectorDatabase } from "./connector-database.ts";

test("a stored value is available to the next process, by platform, until it is deleted", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-kept-"));
	const where = { dataDir: directory.path, platform: "slack", clock: new ManualClock() };
	const first = await openConnectorDatabase(where);
	await first.storedValue<number>("alive").save(5);
	await first.storedValue<string[]>("places").save(["C1"]);
	await first.store.close();
	const second = await openConnectorDatabase(where);
	expect(await second.storedValue<number>("alive").load()).toBe(5);
	await second.storedValue<number>("alive").save(undefined);
	expect(await second.storedValue<number>("alive").load()).toBeUndefined();
	expect(await second.storedValue<string[]>("places").load()).toEqual(["C1"]);
	await second.store.close();
	const other = await openConnectorDatabase({ ...where, platform: "discord" });
	expect(await other.storedValue<string[]>("places").load()).toBeUndefined();
	await other.store.close();
});

test("the error of a damaged database states that nothing is lost, and how to delete it", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley's-kept-"));
	const where = { dataDir: directory.path, platform: "slack", clock: new ManualClock() };
	const { store } = await openConnectorDatabase(where);
	await store.close();
	await writeFile(connectorDatabaseFile(where), "no database".repeat(1000));
	await expect(openConnectorDatabase(where)).rejects.toMatchObject({
		code: "data_loss",
		message: expect.stringMatching(/delete it with `rm '.*parley'\\''s-kept-.*slack\.sqlite'\*`/),
	});
});

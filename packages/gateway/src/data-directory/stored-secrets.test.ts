import { mkdtempDisposable, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { migrations, SecretBox, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { databaseIn } from "./data-directory.ts";
import { secretKeyIn } from "./secret-key.ts";
import { checkStoredSecrets, openSecretKey } from "./stored-secrets.ts";

function openStore(data: string) {
	return openSqliteStore<Tables>({ file: databaseIn(data), migrations });
}

test("a missing key is reported if passwords are stored, at the start and by the check", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-secrets-"));
	const data = directory.path;
	expect(await checkStoredSecrets(data)).toMatchObject({ stored: 0, opened: 0, hasKey: false });
	const store = await openStore(data);
	const log = new MemoryLogger();
	const key = await openSecretKey(data, { store, log });
	expect(log.records).toEqual([]);
	const sealed = new SecretBox(key).seal("a", "correct horse");
	const row = { id: "a", session_id: "s", sealed, created_at: 1, epoch: 1, v: 1 };
	await store.commit((tx) => tx.insertInto("secrets").values(row).execute());
	expect(await checkStoredSecrets(data)).toMatchObject({ stored: 1, opened: 1, hasKey: true });

	await rm(secretKeyIn(data));
	expect(await checkStoredSecrets(data)).toMatchObject({ stored: 1, opened: 0, hasKey: false });
	await openSecretKey(data, { store, log });
	expect(log.records).toMatchObject([
		{
			level: "warn",
			message: expect.stringMatching(/key .*keys\/secrets is missing.*stored passwords \(1\)/),
		},
	]);
	expect(await checkStoredSecrets(data)).toMatchObject({ stored: 1, opened: 0, hasKey: true });
	await store.close();
});

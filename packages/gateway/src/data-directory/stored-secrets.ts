import { existsSync } from "node:fs";
import { type Logger, ParleyError, readSqliteFile, type Store } from "@parley/base";
import { SecretBox, type Tables } from "@parley/core";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { databaseIn } from "./data-directory.ts";
import { loadOrCreateSecretKey, secretKeyIn } from "./secret-key.ts";

/**
 * Reads the key of encrypted data as `loadOrCreateSecretKey` does. Warns if the key is missing but the database
 * contains passwords, which a new key cannot decrypt.
 */
export async function openSecretKey(
	dataDirectory: string,
	{ store, log }: { readonly store: Store<Tables>; readonly log: Logger },
): Promise<Buffer> {
	const path = secretKeyIn(dataDirectory);
	const stored = existsSync(path) ? 0 : await store.read(countSecrets);
	if (stored > 0) {
		log.warn(dataDirectoryTexts.keyMissing({ path, passwords: stored }), { path, stored });
	}
	return loadOrCreateSecretKey(dataDirectory);
}

/**
 * Result of a check of the stored passwords. `stored` is the number of stored passwords, and `opened` is the number
 * of passwords that the key can decrypt.
 */
export interface StoredSecrets {
	readonly stored: number;
	readonly opened: number;
	readonly keyFile: string;
	readonly hasKey: boolean;
}

/**
 * Counts the stored passwords of a data directory, and the passwords that the key of the directory can decrypt.
 * Changes nothing, so a gateway may be running. If passwords are stored, rejects if the key file is damaged, or if
 * other users have permissions on it.
 */
export async function checkStoredSecrets(dataDirectory: string): Promise<StoredSecrets> {
	const keyFile = secretKeyIn(dataDirectory);
	const hasKey = existsSync(keyFile);
	const file = databaseIn(dataDirectory);
	const rows = existsSync(file) ? await readSqliteFile(file, readSecrets) : [];
	if (!hasKey || rows.length === 0) return { stored: rows.length, opened: 0, keyFile, hasKey };
	const box = new SecretBox(await loadOrCreateSecretKey(dataDirectory));
	const opened = rows.filter((row) => opens(box, row)).length;
	return { stored: rows.length, opened, keyFile, hasKey };
}

type Db = Parameters<Parameters<Store<Tables>["read"]>[0]>[0];

async function countSecrets(db: Db): Promise<number> {
	const count = db.selectFrom("secrets").select((eb) => eb.fn.countAll<number>().as("count"));
	return Number((await count.executeTakeFirst())?.count ?? 0);
}

interface Sealed {
	readonly id: string;
	readonly sealed: string;
}

async function readSecrets(db: Db): Promise<Sealed[]> {
	const tables = await db.introspection.getTables();
	if (!tables.some(({ name }) => name === "secrets")) return [];
	return db.selectFrom("secrets").select(["id", "sealed"]).execute();
}

function opens(box: SecretBox, { id, sealed }: Sealed): boolean {
	try {
		box.open(id, sealed);
		return true;
	} catch (reason) {
		if (reason instanceof ParleyError && reason.code === "data_loss") return false;
		throw reason;
	}
}

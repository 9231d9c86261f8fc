import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { withFileLock } from "../data-directory/file-lock.ts";
import { checkPermissions, removeDrafts, replacePrivateFile } from "../data-directory/private-file.ts";
import { storedKeysTexts } from "../texts/config/stored-keys.ts";

/**
 * Pattern of the names of variables with keys and tokens. Other names, such as PATH, are refused, because these
 * variables would have further effects.
 */
const keyName = /^(?!PARLEY_|NODE_)[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|BEDROCK)$/;

const keysSchema = () => z.record(z.string().regex(keyName), z.string().min(1));

/** Keys and tokens by the names of their variables. */
export type StoredKeys = Readonly<Record<string, string>>;

/** Returns the path of the file with the stored keys in a data directory. */
export function keysIn(data: string): string {
	return join(data, "api-keys.json");
}

/**
 * Reads the keys that `parley setup` has stored. Returns an empty object without a file. Rejects with
 * `failed_precondition` if other users have permissions on the file, and with `invalid_argument` if the content is
 * invalid. Errors do not contain the content of the file.
 */
export async function readStoredKeys(data: string): Promise<StoredKeys> {
	const path = keysIn(data);
	let text: string;
	try {
		text = await readFile(path, "utf8");
	} catch (error) {
		if (errno(error) === "ENOENT" || errno(error) === "ENOTDIR") return {};
		throw error;
	}
	await checkPermissions(path, 0o077);
	const keys = keysFrom(text);
	if (keys) return keys;
	const message = storedKeysTexts.invalid({ path });
	throw new ParleyError(message, { code: "invalid_argument" });
}

function keysFrom(text: string): StoredKeys | undefined {
	try {
		return keysSchema().safeParse(parseJson(text, { uniqueKeys: true })).data;
	} catch {
		// The reason is not reported, because it could contain a part of a key.
		return undefined;
	}
}

/**
 * Adds and replaces keys in the file with the stored keys. A key without a value is removed. The file has mode 0600.
 */
export async function storeKeys(
	keys: Readonly<Record<string, string | undefined>>,
	{ data, clock }: { readonly data: string; readonly clock: Clock },
): Promise<void> {
	await withFileLock(join(data, "run", "keys.lock"), clock, async () => {
		await removeDrafts(keysIn(data));
		const all = { ...(await readStoredKeys(data)), ...keys };
		const rest = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
		const checked = keysSchema().safeParse(rest);
		if (!checked.success) {
			const names = Object.keys(keys).join(", ");
			const message = storedKeysTexts.notStored({ names });
			throw new ParleyError(message, { code: "invalid_argument" });
		}
		await replacePrivateFile(keysIn(data), `${JSON.stringify(checked.data, undefined, "\t")}\n`);
	});
}

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ParleyError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { errno } from "./errno.ts";
import { checkPermissions, createPrivateFile } from "./private-file.ts";

const KEY_BYTES = 32;

export function secretKeyIn(dataDirectory: string): string {
	return join(dataDirectory, "keys", "secrets");
}

/**
 * Reads the key of encrypted data, for example passwords: 32 bytes in the data directory. Creates a missing key.
 * Rejects with `data_loss` for a file with other content, and with `failed_precondition` if other users have
 * permissions on the file or its directory.
 */
export async function loadOrCreateSecretKey(dataDirectory: string): Promise<Buffer> {
	const path = secretKeyIn(dataDirectory);
	try {
		return await readKey(path);
	} catch (error) {
		if (errno(error) !== "ENOENT") throw error;
	}
	await createPrivateFile(path, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
	return readKey(path);
}

async function readKey(path: string): Promise<Buffer> {
	const text = await readFile(path, "utf8");
	await checkPermissions(dirname(path), 0o077);
	await checkPermissions(path, 0o077);
	const key = Buffer.from(text.trim(), "base64url");
	if (key.length === KEY_BYTES) return key;
	throw new ParleyError(dataDirectoryTexts.keyLength({ path, bytes: key.length, expected: KEY_BYTES }), {
		code: "data_loss",
	});
}

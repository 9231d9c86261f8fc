import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errno } from "./errno.ts";
import { checkPermissions, createPrivateFile } from "./private-file.ts";

/** The key under which passwords are kept: 32 bytes in the data directory, made at the first start. */
export async function loadOrCreateSecretKey(dataDirectory: string): Promise<Buffer> {
	const path = join(dataDirectory, "keys", "secrets");
	try {
		return await readKey(path);
	} catch (error) {
		if (errno(error) !== "ENOENT") throw error;
	}
	await createPrivateFile(path, `${randomBytes(32).toString("base64url")}\n`);
	return readKey(path);
}

async function readKey(path: string): Promise<Buffer> {
	const text = await readFile(path, "utf8");
	await checkPermissions(dirname(path), 0o077);
	await checkPermissions(path, 0o077);
	return Buffer.from(text.trim(), "base64url");
}

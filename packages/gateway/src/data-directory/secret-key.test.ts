import { mkdir, mkdtempDisposable, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadOrCreateSecretKey, secretKeyIn } from "./secret-key.ts";

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-key-"));
}

test("the key is created once, with 32 bytes that only the owner can read", async () => {
	await using data = await temporaryDirectory();
	const key = await loadOrCreateSecretKey(data.path);
	expect(key).toHaveLength(32);
	expect((await stat(secretKeyIn(data.path))).mode & 0o777).toBe(0o600);
	expect((await loadOrCreateSecretKey(data.path)).equals(key)).toBe(true);
});

test.each([
	["", 0],
	["c2hvcnQ", 5],
	["A".repeat(44), 33],
])("a file with %j is refused by its name, with advice", async (content, length) => {
	await using data = await temporaryDirectory();
	await mkdir(join(data.path, "keys"), { mode: 0o700 });
	await writeFile(secretKeyIn(data.path), content, { mode: 0o600 });
	await expect(loadOrCreateSecretKey(data.path)).rejects.toMatchObject({
		code: "data_loss",
		message: expect.stringContaining(
			`the key in ${secretKeyIn(data.path)} has ${length} bytes instead of 32: restore the file from a backup`,
		),
	});
});

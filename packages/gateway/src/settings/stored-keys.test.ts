import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { expect, onTestFinished, test } from "vitest";
import { keysIn, readStoredKeys, storeKeys } from "./stored-keys.ts";

async function open() {
	const data = await mkdtemp(join(tmpdir(), "parley-keys-"));
	onTestFinished(() => rm(data, { recursive: true }));
	return { data, clock: systemClock };
}

test("keys are stored for this user only, replaced and removed", async () => {
	const parts = await open();
	expect(await readStoredKeys(parts.data)).toEqual({});
	await storeKeys({ OPENAI_API_KEY: "one", DISCORD_TOKEN: "two" }, parts);
	await storeKeys({ OPENAI_API_KEY: "three", DISCORD_TOKEN: undefined }, parts);
	expect(await readStoredKeys(parts.data)).toEqual({ OPENAI_API_KEY: "three" });
	expect((await stat(keysIn(parts.data))).mode & 0o777).toBe(0o600);
});

test("keys that a killed command has left beside the file are removed by the next change", async () => {
	const parts = await open();
	await writeFile(`${keysIn(parts.data)}.0123456789ab.draft`, '{"OPENAI_API_KEY": "one"}');
	await writeFile(join(parts.data, "parley.config.json.0123456789ab.draft"), "{}");
	await storeKeys({ OPENAI_API_KEY: "two" }, parts);
	const names = ["api-keys.json", "parley.config.json.0123456789ab.draft", "run"];
	expect((await readdir(parts.data)).sort()).toEqual(names);
});

test.each(["PATH", "NODE_OPTIONS", "PARLEY_TOKEN", "LD_PRELOAD", "NODE_AUTH_TOKEN"])(
	"%s cannot be stored",
	async (name) => {
		const parts = await open();
		await expect(storeKeys({ [name]: "value" }, parts)).rejects.toThrow(
			`cannot store ${name}: the name of a key must`,
		);
		expect(await readStoredKeys(parts.data)).toEqual({});
	},
);

test("a file that other users can read, or an invalid one, is refused without its content", async () => {
	const parts = await open();
	await storeKeys({ OPENAI_API_KEY: "s3cret" }, parts);
	await chmod(keysIn(parts.data), 0o640);
	await expect(readStoredKeys(parts.data)).rejects.toThrow("is open to other users of this machine");
	await chmod(keysIn(parts.data), 0o600);
	for (const text of ['{"OPENAI_API_KEY": "s3cret', '{"PATH": "s3cret"}', '["s3cret"]']) {
		await writeFile(keysIn(parts.data), text);
		await expect(readStoredKeys(parts.data)).rejects.toThrow(/is not valid: remove it/);
		await expect(readStoredKeys(parts.data)).rejects.not.toThrow("s3cret");
	}
});

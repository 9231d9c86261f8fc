import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test as plainTest } from "vitest";
import { readOperatorToken, readRuntimeFile } from "./data-files.ts";

const test = plainTest.extend<{ data: string }>({
	// biome-ignore lint/correctness/noEmptyPattern: a fixture that needs no other one is written like this
	data: async ({}, use) => {
		const data = await mkdtemp(join(tmpdir(), "parley-cli-"));
		await mkdir(join(data, "run"));
		await mkdir(join(data, "tokens"));
		await use(data);
		await rm(data, { recursive: true });
	},
});

const runtime = { pid: 7, urls: ["http://127.0.0.1:7777"], startedAt: "2026-01-01T00:00:00Z", version: "1" };

test("what a running gateway wrote is read", async ({ data }) => {
	await writeFile(join(data, "run", "gateway.json"), JSON.stringify(runtime));
	expect(await readRuntimeFile(data)).toEqual(runtime);
});

test.for([
	["nothing", undefined],
	["no JSON", "{"],
	["no address", JSON.stringify({ ...runtime, urls: [] })],
	["a process id that would address a process group", JSON.stringify({ ...runtime, pid: -1 })],
	["no object", "null"],
] as const)("%s there is like no gateway", async ([, text], { data }) => {
	if (text !== undefined) await writeFile(join(data, "run", "gateway.json"), text);
	expect(await readRuntimeFile(data)).toBeUndefined();
});

test("the token is read", async ({ data }) => {
	expect(await readOperatorToken(data)).toBeUndefined();
	await writeFile(join(data, "tokens", "operator"), "gw_operator_x\n", { mode: 0o600 });
	expect(await readOperatorToken(data)).toBe("gw_operator_x");
});

test("a token that others can read is refused, with the command that mends it", async ({ data }) => {
	const path = join(data, "tokens", "operator");
	await writeFile(path, "gw_operator_x\n");
	await chmod(path, 0o644);
	await expect(readOperatorToken(data)).rejects.toThrow(`chmod 600 '${path}'`);
});

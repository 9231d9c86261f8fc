import { mkdtempDisposable, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRuntimeFile, removeRuntimeFile, writeRuntimeFile } from "./runtime-file.ts";

const content = {
	pid: 4711,
	urls: ["http://127.0.0.1:7777", "http://[::1]:7777"],
	startedAt: "2026-01-01T00:00:00.000Z",
	version: "0.2.0",
	provider: "anthropic",
	model: "claude",
};

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-runtime-"));
}

test("the file is readable by this user only, and replaced atomically", async () => {
	await using data = await temporaryDirectory();
	await writeRuntimeFile(data.path, content);
	expect(await readRuntimeFile(data.path)).toEqual(content);
	expect((await stat(join(data.path, "run", "gateway.json"))).mode & 0o777).toBe(0o600);
	await writeRuntimeFile(data.path, { ...content, pid: 4712 });
	expect(await readRuntimeFile(data.path)).toEqual({ ...content, pid: 4712 });
	expect(await readdir(join(data.path, "run"))).toEqual(["gateway.json"]);
});

test("after its removal the file is missing, and a second removal succeeds", async () => {
	await using data = await temporaryDirectory();
	await writeRuntimeFile(data.path, content);
	await removeRuntimeFile(data.path);
	await removeRuntimeFile(data.path);
	expect(await readRuntimeFile(data.path)).toBeUndefined();
	expect(await readRuntimeFile(join(data.path, "absent"))).toBeUndefined();
});

test("unknown fields are ignored, because a later version may write more", async () => {
	await using data = await temporaryDirectory();
	const later = { ...content, colour: "red" };
	await writeRuntimeFile(data.path, later);
	expect(await readRuntimeFile(data.path)).toEqual(content);
});

test("a file of an earlier version has no provider", async () => {
	await using data = await temporaryDirectory();
	const { provider: _, model: __, ...old } = content;
	await writeRuntimeFile(data.path, old);
	expect(await readRuntimeFile(data.path)).toEqual(old);
});

test.each([
	"",
	"{",
	"null",
	"[]",
	"{}",
	JSON.stringify({ ...content, pid: 0 }),
	JSON.stringify({ ...content, urls: [] }),
])("a file with %j counts as missing", async (text) => {
	await using data = await temporaryDirectory();
	await writeRuntimeFile(data.path, content);
	await writeFile(join(data.path, "run", "gateway.json"), text);
	expect(await readRuntimeFile(data.path)).toBeUndefined();
});

import { chmod, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { policyWriter } from "./policy-writer.ts";

async function place() {
	const data = await mkdtemp(join(tmpdir(), "parley-policy-"));
	const path = join(data, "policy.jsonc");
	const change = policyWriter({ path, clock: systemClock });
	return { data, path, change, [Symbol.asyncDispose]: () => rm(data, { recursive: true }) };
}

test("a file is created for its user only, and keeps its mode later", async () => {
	await using t = await place();
	await t.change((text) => `${text}one\n`);
	expect((await stat(t.path)).mode & 0o777).toBe(0o600);
	await chmod(t.path, 0o640);
	await t.change((text) => `${text}two\n`);
	expect(await readFile(t.path, "utf8")).toBe("one\ntwo\n");
	expect((await stat(t.path)).mode & 0o777).toBe(0o640);
});

test("simultaneous changes are all kept", async () => {
	await using t = await place();
	await Promise.all(Array.from({ length: 5 }, (_, n) => t.change((text) => `${text}${n}\n`)));
	expect((await readFile(t.path, "utf8")).split("\n").sort()).toEqual(["", "0", "1", "2", "3", "4"]);
});

test("simultaneous changes of two gateways to one file are all kept, also through a link", async () => {
	await using first = await place();
	await using second = await place();
	await first.change((text) => `${text}0\n`);
	await symlink(first.path, second.path);
	const writers = Array.from({ length: 6 }, (_, n) => ({
		n,
		change: n % 2 === 0 ? first.change : second.change,
	}));
	await Promise.all(writers.map(({ n, change }) => change((text) => `${text}${n + 1}\n`)));
	const lines = (await readFile(first.path, "utf8")).split("\n").sort();
	expect(lines).toEqual(["", "0", "1", "2", "3", "4", "5", "6"]);
});

test("a link stays, and its target is changed", async () => {
	await using t = await place();
	const target = join(t.data, "rules.jsonc");
	await writeFile(target, "one\n", { mode: 0o600 });
	await symlink(target, t.path);
	await t.change((text) => `${text}two\n`);
	expect(await readFile(target, "utf8")).toBe("one\ntwo\n");
	expect(await readFile(t.path, "utf8")).toBe("one\ntwo\n");
});

test("a file that every user can change, and a refused change, stay as they are", async () => {
	await using t = await place();
	await writeFile(t.path, "one\n", { mode: 0o600 });
	const refuse = (): never => {
		throw new Error("refused");
	};
	await expect(t.change(refuse)).rejects.toThrow("refused");
	await chmod(t.path, 0o666);
	await expect(t.change(() => "two\n")).rejects.toMatchObject({ code: "failed_precondition" });
	expect(await readFile(t.path, "utf8")).toBe("one\n");
});

test("a read-only file stays as it is", async () => {
	await using t = await place();
	await writeFile(t.path, "one\n", { mode: 0o444 });
	await expect(t.change(() => "two\n")).rejects.toMatchObject({ code: "failed_precondition" });
	expect(await readFile(t.path, "utf8")).toBe("one\n");
});

test("a link without a target stays as it is", async () => {
	await using t = await place();
	const target = join(t.data, "elsewhere", "rules.jsonc");
	await symlink(target, t.path);
	await expect(t.change(() => "one\n")).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining(`${t.path} is a link to ${target}, which does not exist`),
	});
	expect(await readlink(t.path)).toBe(target);
});

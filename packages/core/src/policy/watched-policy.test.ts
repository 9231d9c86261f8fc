import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDirectory } from "../testing/tool-context.ts";
import { builtinTools } from "../tools/builtin.ts";
import { type PolicyState, WatchedPolicy } from "./watched-policy.ts";

function watch(path: string, foreign = false, seen: (PolicyState | undefined)[] = []): WatchedPolicy {
	const layer = foreign ? "workspace" : "operator";
	const onRead = (_: PolicyState, before: PolicyState | undefined) => seen.push(before);
	return new WatchedPolicy({ layer, path, foreign, tools: builtinTools(), onRead });
}

const one = '{ "rules": [{ "effect": "deny", "tool": "git" }] }';
const two = '{ "rules": [{ "effect": "deny", "tool": "git" }, { "effect": "ask" }] }';

test("a file is read again when it has changed, and only then", async () => {
	await using directory = await createDirectory();
	const path = join(directory.path, "policy.jsonc");
	const seen: (PolicyState | undefined)[] = [];
	const watched = watch(path, false, seen);
	expect(watched.current()).toMatchObject({ digest: "", rules: [] });
	writeFileSync(path, one);
	const first = watched.current();
	expect(first.rules).toHaveLength(1);
	expect(watched.current()).toBe(first);
	writeFileSync(`${path}.next`, two);
	renameSync(`${path}.next`, path);
	expect(watched.current().rules).toHaveLength(2);
	expect(watched.current().digest).not.toBe(first.digest);
	expect(seen.map((before) => before?.rules.length)).toEqual([undefined, 0, 1]);
});

test("a broken file is a problem with its position, until it is fixed", async () => {
	await using directory = await createDirectory();
	const path = join(directory.path, "policy.jsonc");
	writeFileSync(path, one);
	const watched = watch(path);
	expect(watched.current().problem).toBeUndefined();
	writeFileSync(path, '{ "rules": [\n{ "effect": "dney" }] }');
	expect(watched.current()).toMatchObject({
		rules: [],
		problem: `${path}:2:13: "dney" is not allowed for effect; allowed: deny, ask, allow`,
	});
	writeFileSync(path, two);
	expect(watched.current().problem).toBeUndefined();
	expect(watched.current().rules).toHaveLength(2);
});

test("deleted rules are a problem, except rules of a workspace", async () => {
	await using directory = await createDirectory();
	const path = join(directory.path, "policy.jsonc");
	writeFileSync(path, one);
	const [own, foreign] = [watch(path), watch(path, true)];
	expect([own.current().rules.length, foreign.current().rules.length]).toEqual([1, 1]);
	rmSync(path);
	expect(own.current().problem).toContain("the file was deleted");
	expect(own.current().problem).toContain("the file was deleted");
	expect(foreign.current()).toMatchObject({ digest: "", rules: [] });
	writeFileSync(path, two);
	expect(own.current().problem).toBeUndefined();
});

test.each<[string, (path: string) => void, string]>([
	["a directory", (path) => mkdirSync(path), "it is not a regular file"],
	["too large", (path) => writeFileSync(path, " ".repeat(256 * 1024 + 1)), "it is larger than 256 KiB"],
	["no text", (path) => writeFileSync(path, Buffer.from([0x7b, 0xff])), "it is not UTF-8 text"],
	["a link to itself", (path) => symlinkSync(path, path), "it cannot be read (ELOOP)"],
	["behind a file", (path) => writeFileSync(path, "[]"), "the file must contain one object"],
])("a file that cannot contain rules is a problem: %s", async (_, make, message) => {
	await using directory = await createDirectory();
	const path = join(directory.path, "policy.jsonc");
	make(path);
	expect(watch(path).current().problem).toContain(message);
});

test("a file that all users can write is not a policy", async () => {
	await using directory = await createDirectory();
	const path = join(directory.path, "policy.jsonc");
	writeFileSync(path, one);
	chmodSync(path, 0o666);
	expect(watch(path).current().problem).toContain("every user of this machine can write it; run: chmod o-w");
});

test("links in a workspace are not followed", async () => {
	await using directory = await createDirectory();
	const place = join(directory.path, ".parley");
	const path = join(place, "policy.jsonc");
	writeFileSync(join(directory.path, "elsewhere"), '{ "secret": "hunter2" }');
	mkdirSync(place);
	symlinkSync(join(directory.path, "elsewhere"), path);
	const { problem } = watch(path, true).current();
	expect(problem).toContain("it is a link, or a link leads to it");
	expect(problem).not.toContain("secret");
	rmSync(place, { recursive: true });
	mkdirSync(join(directory.path, "other"));
	writeFileSync(join(directory.path, "other", "policy.jsonc"), one);
	symlinkSync(join(directory.path, "other"), place);
	expect(watch(path, true).current().problem).toContain("it is a link, or a link leads to it");
});

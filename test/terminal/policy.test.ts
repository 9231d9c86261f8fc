import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "./terminal-test.ts";

function documented(): string {
	const text = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");
	return /```jsonc\n(.*?)```/s.exec(text)?.[1] ?? "";
}

test("the operator sees the effect of rules and their errors", async ({ setup }) => {
	const file = join(setup.data, "policy.jsonc");
	const none = setup.run("policy", "check");
	expect(await none.ended()).toBe(0);
	expect(none.text.replaceAll("\n", "")).toContain(
		"policy.jsonc does not exist: only the built-in rules apply",
	);
	writeFileSync(file, documented());
	const checked = setup.run("policy", "check");
	expect(await checked.ended()).toBe(0);
	expect(checked.text.replaceAll("\n", "")).toContain("policy.jsonc: 4 rules of the operator");
	const denied = setup.run("policy", "test", "env git push -f");
	expect(await denied.ended()).toBe(0);
	expect(denied.text).toContain("deny: people push, agents do not");
	expect(denied.text).toContain("▸  operator");
	const allowed = setup.run(
		"policy",
		"test",
		"--tool",
		"write_file",
		"--arguments",
		'{"path":"docs/a.md","content":"a"}',
	);
	expect(await allowed.ended()).toBe(0);
	expect(allowed.text).toContain("allow: a rule of the operator, policy.jsonc:10");
	const shown = setup.run("policy", "show");
	expect(await shown.ended()).toBe(0);
	expect(shown.text).toContain("people push, agents do not");
	const unnamed = setup.run("policy", "--data", setup.data);
	expect(await unnamed.ended()).toBe(0);
	expect(unnamed.text).toBe(shown.text);
	writeFileSync(file, '{ "rules": [\n{ "effect": "alow" }] }');
	const broken = setup.run("policy", "check", file);
	expect(await broken.ended()).toBe(1);
	expect(broken.text.replaceAll("\n", "")).toContain('policy.jsonc:2:13: "alow" is not allowed for effect');
	const listed = setup.run("policy", "show");
	expect(await listed.ended()).toBe(1);
	expect(listed.text).toContain("the operator's policy is invalid");
	const neither = setup.run("policy", "test");
	expect(await neither.ended()).toBe(2);
	expect(neither.text).toContain("use either a command, in quotes, or --tool");
});

test("--channel shows the rules of a channel, also under its old name --place", async ({ setup }) => {
	const set = setup.run("channels", "set", "discord:1:2", "--tools", "read_file");
	expect(await set.ended()).toBe(0);
	const [everywhere, channel, oldName] = [[], ["--channel", "discord:1:2"], ["--place", "discord:1:2"]].map(
		(flags) => setup.run("policy", "test", "ls", "--json", ...flags),
	);
	expect(await Promise.all([everywhere, channel, oldName].map((run) => run?.ended()))).toEqual([0, 0, 0]);
	expect(channel?.text).not.toBe(everywhere?.text);
	expect(oldName?.text).toBe(channel?.text);
});

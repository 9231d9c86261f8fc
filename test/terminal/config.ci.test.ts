import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { afterEach, expect } from "vitest";
import { pipe } from "./piped.ts";
import { Screen } from "./screen.ts";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

const screens: Screen[] = [];
afterEach(() => {
	for (const screen of screens.splice(0)) screen.close();
});

function file(setup: Setup): string {
	return join(setup.data, "parley.config.json");
}

/** Runs `parley config edit` with `script` as the editor. In the script, `$1` is the path of the edited file. */
function edit(setup: Setup, script: string): Screen {
	const editor = join(setup.root, "an editor");
	writeFileSync(editor, `#!/bin/sh\n${script}\n`);
	chmodSync(editor, 0o755);
	const env = { ...setup.environment, VISUAL: "", EDITOR: `'${editor}'` };
	const screen = new Screen({ args: ["config", "edit"], cwd: setup.work, env });
	screens.push(screen);
	return screen;
}

test("a setting is stored with its comments, and the command reports that a restart is required", async ({
	setup,
}) => {
	writeFileSync(file(setup), '{\n  // no titles\n  "titles": false,\n}\n', { mode: 0o600 });
	const set = setup.run("config", "set", "budgets.day", "5");
	expect(await set.ended()).toBe(0);
	expect(set.text.replaceAll(/\s+/g, " ")).toContain(
		"uses the change after a restart: `parley stop`, then `parley start`",
	);
	expect(readFileSync(file(setup), "utf8")).toMatch(
		/^\{\n {2}\/\/ no titles\n {2}"titles": false,[\s\S]*"day": 5/,
	);
	const list = setup.run("config");
	await list.ended();
	expect(list.text).toMatch(/^SETTING +VALUE +SOURCE$/m);
	expect(list.text).toMatch(/^budgets\.day +5 +/m);
	const one = await pipe(setup, ["config", "get", "budgets.day", "--json"]);
	expect(parseJson(one.out)).toEqual({
		key: "budgets.day",
		value: 5,
		source: `${file(setup)}:5:12`,
		default: "no limit",
	});
	const group = setup.run("config", "get", "budgets");
	await group.ended();
	expect(group.text).toMatch(/^budgets\.month +no limit +default$/m);
	expect(await setup.run("config", "unset", "budgets.day").ended()).toBe(0);
	const none = await pipe(setup, ["config", "get", "budgets.day"]);
	expect(none.out).toMatch(/budgets\.day +no limit +default/);
});

test("a wrong value or name changes nothing, and the error states what is allowed", async ({ setup }) => {
	writeFileSync(file(setup), "{}\n", { mode: 0o600 });
	const wrong = await pipe(setup, ["config", "set", "auth", "some"]);
	expect(wrong).toMatchObject({
		code: 2,
		error: 'parley: "some" is not allowed for auth (parley config set); allowed: local, token, none\n\n',
	});
	const unknown = await pipe(setup, ["config", "set", "modle", "fast"]);
	expect(unknown.code).toBe(2);
	expect(unknown.error).toContain("did you mean model?");
	const key = await pipe(setup, [
		"config",
		"set",
		"models.providers.mistral.key",
		`sk-ant-api03-${"x1".repeat(30)}`,
	]);
	expect(key.code).toBe(2);
	expect(key.error).not.toContain("x1x1");
	expect(readFileSync(file(setup), "utf8")).toBe("{}\n");
});

test("a variable with precedence is named", async ({ setup }) => {
	const set = await pipe(setup, ["config", "set", "sandbox", "required", "--json"]);
	expect(parseJson(set.out)).toMatchObject({
		changed: true,
		overridden_by: "PARLEY_SANDBOX",
		needs_restart: true,
	});
	expect((await pipe(setup, ["config", "unset", "sandbox"])).code).toBe(0);
});

test("a key that `parley setup` has stored is not reported as missing", async ({ setup }) => {
	writeFileSync(join(setup.data, "api-keys.json"), '{ "MISTRAL_API_KEY": "stored-key-of-a-test" }', {
		mode: 0o600,
	});
	const set = await pipe(setup, ["config", "set", "provider", "mistral", "--json"]);
	expect(parseJson(set.out)).toMatchObject({ changed: true, value: "mistral" });
	expect(parseJson(set.out)).not.toHaveProperty("problem");
});

test("an edited file is stored only if it is valid", async ({ setup }) => {
	writeFileSync(file(setup), "{}\n", { mode: 0o600 });
	const marker = join(setup.root, "edited-once");
	const twice = edit(
		setup,
		`if [ -e ${marker} ]; then echo '{ "auth": "token" }' > "$1"; else touch ${marker}; echo '{ "auth": 7 }' > "$1"; fi`,
	);
	await twice.shows("Edit again? [Y/n]");
	expect(twice.text.replaceAll(/\s/g, "")).toContain("7isnotallowedforauth");
	expect(readFileSync(file(setup), "utf8")).toBe("{}\n");
	twice.type("\r");
	expect(await twice.ended()).toBe(0);
	expect(readFileSync(file(setup), "utf8")).toBe('{ "auth": "token" }\n');
	rmSync(marker);
	const invalid = edit(setup, `echo '{' > "$1"`);
	await invalid.shows("Edit again? [Y/n]");
	invalid.type("n\r");
	expect(await invalid.ended()).toBe(1);
	const failed = edit(setup, "exit 3");
	expect(await failed.ended()).toBe(1);
	expect(failed.text.replaceAll(/\s/g, "")).toContain("endedwithexitcode3");
	expect(readFileSync(file(setup), "utf8")).toBe('{ "auth": "token" }\n');
	expect(readdirSync(setup.data).filter((name) => name.includes("draft"))).toEqual([]);
	rmSync(file(setup));
	expect(existsSync(file(setup))).toBe(false);
});

test("an edit needs a terminal", async ({ setup }) => {
	expect(await pipe(setup, ["config", "edit"])).toMatchObject({
		code: 2,
		error: expect.stringContaining("parley config set KEY VALUE"),
	});
});

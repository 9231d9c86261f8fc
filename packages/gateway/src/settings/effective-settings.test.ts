import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { effectiveSetting, effectiveSettings, settingKeys } from "./effective-settings.ts";

const directory = mkdtempSync(join(tmpdir(), "parley-effective-"));
const file = join(directory, "parley.config.json");
afterAll(() => rmSync(directory, { recursive: true }));

function sources(content: unknown, environment: Readonly<Record<string, string>> = {}) {
	writeFileSync(file, JSON.stringify(content));
	return { flags: {}, environment, cwd: directory, defaultData: directory };
}

test("a setting has the value of the source with precedence, and its source", () => {
	const both = sources({ model: "fast", budgets: { day: 5 } }, { PARLEY_MODEL: "max" });
	expect(effectiveSetting("model", both)).toMatchObject({
		key: "model",
		value: "max",
		source: "PARLEY_MODEL",
	});
	expect(effectiveSetting("budgets.day", both)).toMatchObject({ value: 5, source: `${file}:1:34` });
	expect(effectiveSetting("budgets", both)).toMatchObject({ value: { day: 5 } });
	expect(effectiveSetting("budgets.month", both)).toMatchObject({
		value: undefined,
		source: "default",
		preset: "no limit",
	});
	expect(effectiveSetting("data", both)).toMatchObject({ value: directory, source: "default" });
});

test("a setting that does not exist is refused", () => {
	expect(() => effectiveSetting("budget", sources({}))).toThrow(
		'unknown setting "budget": did you mean budgets?',
	);
	expect(() => effectiveSetting("tasks.limit.x", sources({}))).toThrow('unknown setting "tasks.limit.x"');
});

test("the list has the settings that are set, or all", () => {
	const some = sources({ budgets: { day: 5 }, listen: ["127.0.0.1:0"] });
	expect(
		effectiveSettings(some)
			.map(({ key }) => key)
			.toSorted(),
	).toEqual(["budgets.day", "listen"]);
	const all = effectiveSettings(some, true);
	expect(all.length).toBeGreaterThan(40);
	expect(all.filter(({ source }) => source !== "default")).toHaveLength(2);
	expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
});

test("secrets are never part of a value", () => {
	const secret = sources({
		llama: {
			endpoint: "http://127.0.0.1:8080",
			args: ["--api-key", "s3cret-one", "--token=s3cret-two", "-m", "a"],
		},
		mcp: {
			servers: {
				notes: {
					command: "notes",
					env: { PASSWORD: "s3cret-three" },
					args: ["postgres://me:s3cret-four@host/db"],
				},
				far: { url: "https://mcp.example.com/mcp?key=s3cret-five" },
			},
		},
	});
	const list = JSON.stringify(effectiveSettings(secret, true));
	expect(list).not.toContain("s3cret");
	for (const key of ["mcp", "mcp.servers.notes.env.PASSWORD", "mcp.servers.notes.env", "llama"]) {
		expect(JSON.stringify(effectiveSetting(key, secret))).not.toContain("s3cret");
	}
	expect(effectiveSetting("mcp.servers.notes.env.PASSWORD", secret).value).toBe("(hidden)");
	expect(effectiveSetting("llama.args", secret).value).toEqual([
		"--api-key",
		"(hidden)",
		"--token=(hidden)",
		"-m",
		"a",
	]);
});

test("the keys contain settings and groups, without keys that the operator chooses", () => {
	const keys = settingKeys();
	expect(keys).toEqual(
		expect.arrayContaining(["auth", "budgets", "budgets.session.day", "mcp.servers", "tls.cert"]),
	);
	expect(keys.filter((key) => /[A-Z]{3}|\[|\$/.test(key))).toEqual([]);
});

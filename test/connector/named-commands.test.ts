import { globSync, readFileSync } from "node:fs";
import { commandTable } from "@parley/connector";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);

const sources = globSync(
	["packages/{connector,discord,slack}/src/**/*.test.ts", "test/{connector,discord,slack}/**/*.ts"],
	{ cwd: root },
)
	.filter((path) => !path.endsWith("named-commands.test.ts"))
	.map((path) => readFileSync(new URL(path, root), "utf8"));

function isTested(names: readonly string[]): boolean {
	const called = new RegExp(`(?:commands?: "|[/!]|(?:command|run|find)\\(")(?:${names.join("|")})(?![\\w-])`);
	return sources.some((source) => called.test(source));
}

test("each chat command is run by a test or a scene", () => {
	const names = commandTable.map(({ name, also }) => (also === undefined ? [name] : [name, also]));
	const missing = names.filter((each) => !isTested(each)).map(([name]) => name);
	expect(missing, "add a test beside the command, or a scene in test/connector/scenes").toEqual([]);
	expect(isTested(["no such command"])).toBe(false);
});

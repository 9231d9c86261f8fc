import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nearTable, nearTests, testsNear } from "../../scripts/near-tests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("AGENTS.md has the table of the tests to run", () => {
	const lines = readFileSync(`${root}/AGENTS.md`, "utf8").split("\n");
	const begin = lines.indexOf(nearTable()[0] ?? "");
	expect(lines.slice(begin, begin + nearTests.length)).toEqual(nearTable());
});

test.each(nearTests)("the paths of the row of %s exist", (changed, tests) => {
	for (const path of changed) expect(existsSync(`${root}/${path}`), path).toBe(true);
	for (const path of tests)
		expect(globSync(`${path}{*.test.ts,/**/*.test.ts}`, { cwd: root }), path).not.toEqual([]);
});

test("changed files name the tests of all their rows, once", () => {
	expect(testsNear(["scripts/run.mjs", "scripts/fix.mjs"])).toEqual(["test/scripts", "test/packages"]);
	expect(testsNear(["packages/cli/src/run.ts"])).toEqual([
		"test/docs/commands",
		"test/service",
		"test/terminal",
		"test/lint",
		"test/docs/public-surface",
	]);
	expect(testsNear(["LICENSE"])).toEqual([]);
});

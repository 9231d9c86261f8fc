import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Maximum number of `Pick` types by package. Never raise a maximum. Define an interface for the parts, or use the
 * complete type. A `Pick` is appropriate for a port that a test implements, and for the part of a record that a
 * caller computes.
 */
const picked = { base: 0, cli: 2, connector: 12, core: 46, discord: 5, gateway: 2, protocol: 0, slack: 4 };

test("no package uses `Pick` more often than recorded", () => {
	const above = Object.entries(picked).filter(([name, maximum]) => {
		const files = globSync("**/*.ts", {
			cwd: `${root}/packages/${name}/src`,
			exclude: ["**/gen/**", "**/testing/**", "**/*.test.ts"],
		});
		const sources = files.map((path) => readFileSync(`${root}/packages/${name}/src/${path}`, "utf8"));
		return (sources.join("\n").match(/\bPick</g)?.length ?? 0) > maximum;
	});
	expect(above).toEqual([]);
});

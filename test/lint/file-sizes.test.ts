import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const maxLines = 400;

/** Biome treats a comment of several lines as one line. This test counts each line of a file. */
test(`no source file has more than ${maxLines} lines`, () => {
	const files = globSync("packages/*/src/**/*.ts", { cwd: root, exclude: ["**/gen/**", "**/*.test.ts"] });
	expect(files.length).toBeGreaterThan(500);
	const lines = files.map((path) => ({
		path,
		lines: readFileSync(`${root}/${path}`, "utf8").split("\n").length - 1,
	}));
	expect(lines.filter((file) => file.lines > maxLines)).toEqual([]);
});

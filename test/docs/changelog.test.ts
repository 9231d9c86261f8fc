import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./plain-english/readings.ts";

test("each entry of the changelog is one line of at most 160 characters", () => {
	const lines = readFileSync(join(root, "CHANGELOG.md"), "utf8").split("\n");
	const entries = lines
		.slice(lines.findIndex((line) => line.startsWith("## ")))
		.filter((line) => line !== "");
	expect(entries.filter((line) => !/^(?:#{2,3} .|- ).+$/.test(line) || [...line].length > 160)).toEqual([]);
});

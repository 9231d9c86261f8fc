import { expect, test } from "vitest";
import { resultDiff } from "./result-diff.ts";

const numbered = (count: number, line = (n: number): string => `line ${n}`): string =>
	Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");

test("a difference has the changed lines with two lines around them", () => {
	const after = numbered(9).replace("line 4", "line four");
	expect(resultDiff(numbered(9), after)).toBe(
		"@@ -3,5 +3,5 @@\n line 2\n line 3\n-line 4\n+line four\n line 5\n line 6",
	);
	expect(resultDiff("a\n", "a\n")).toBe("");
	expect(resultDiff("a\n", "a\u{202e}\n")).toBe("@@ -1,1 +1,1 @@\n-a\n+a\\u{202e}");
});

test("a long difference is cut between lines, with a marker", () => {
	const lines = resultDiff(
		numbered(100),
		numbered(100, (n) => `new ${n}`),
	).split("\n");
	expect(lines).toHaveLength(61);
	expect(lines.at(-1)).toBe("[141 more lines of the difference left out]");
	const wide = resultDiff(
		"",
		numbered(20, () => "x".repeat(1_000)),
	);
	expect(wide.length).toBeLessThan(4_100);
	expect(wide).toMatch(/\n\[17 more lines of the difference left out\]$/);
});

test("texts that differ too much have no difference", () => {
	expect(
		resultDiff(
			numbered(2_000),
			numbered(2_000, (n) => `new ${n}`),
		),
	).toBe("");
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ReadingCache } from "./cache.ts";
import { compare, countsOf, lowered } from "./ratchet.ts";
import { checkSource } from "./readings.ts";
import { presentAndGoals, summary } from "./summary.ts";

const readings = [
	checkSource("packages/core/src/a.ts", "// The channel is trusted no more.\n\n// The session has ended."),
	checkSource("packages/core/src/b.ts", "// Nobody has access here."),
	checkSource("docs/page.md", "The gateway tells of it."),
];
const counts = countsOf(readings);

test("findings are counted by package and kind", () => {
	expect(counts.get("core")?.get("comments")).toEqual({ sentences: 3, findings: 2 });
	expect(counts.get("docs")?.get("docs")).toEqual({ sentences: 1, findings: 1 });
});

test("more findings than the maximum are a rise, also in a package that is not recorded", () => {
	const { risen } = compare(counts, { core: { comments: 1 } });
	expect(risen).toEqual([
		{ name: "core", kind: "comments", findings: 2, maximum: 1 },
		{ name: "docs", kind: "docs", findings: 1, maximum: 0 },
	]);
});

test("fewer findings than the maximum are not a failure, and can be recorded", () => {
	const maxima = { core: { comments: 5 }, docs: { docs: 1 }, gone: { comments: 3 } };
	expect(compare(counts, maxima)).toEqual({
		risen: [],
		fallen: [{ name: "core", kind: "comments", findings: 2, maximum: 5 }],
	});
	expect(lowered(counts, maxima)).toEqual({ core: { comments: 2 }, docs: { docs: 1 } });
});

test("a maximum never rises", () => {
	expect(lowered(counts, { core: { comments: 1 } })).toEqual({ core: { comments: 1 } });
});

test("the summary has the share of each kind next to its goal", () => {
	expect(
		summary(counts)
			.split("\n")
			.map((line) => line.split(/ {2,}/)),
	).toContainEqual(["core", "comments", "3", "2", "66.7", "2"]);
	expect(presentAndGoals(counts)).toContain("comments 66.7 % (goal: 2 %), docs 100.0 % (goal: none)");
});

test("a stored reading is used for the same content alone", () => {
	const directory = mkdtempSync(join(tmpdir(), "parley-english-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = join(directory, "cache/readings.json");
	const first = new ReadingCache(path);
	const [reading] = readings;
	if (reading === undefined) throw new Error("a reading is needed");
	expect(first.get("a.ts", "content", () => reading)).toEqual(reading);
	first.save();

	const second = new ReadingCache(path);
	const unread = () => {
		throw new Error("read again");
	};
	expect(second.get("a.ts", "content", unread)).toEqual(reading);
	expect(() => second.get("a.ts", "other content", unread)).toThrow("read again");
});

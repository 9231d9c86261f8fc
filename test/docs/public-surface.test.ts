import { expect, test } from "vitest";
import { changedParts, readRecorded, readSurface, refusal } from "./public-surface.ts";

test("the public surface is as recorded with the last line of the changelog that changed it", () => {
	const [recorded, now] = [readRecorded(), readSurface()];
	const hint = "add a line to CHANGELOG.md, then run `node test/docs/record-surface.ts`";
	expect(changedParts(recorded, now), hint).toEqual([]);
	expect(now.changelogEntries, hint).toBeGreaterThanOrEqual(recorded.changelogEntries);
});

test("a change is recorded only with another line in the changelog", () => {
	const recorded = { changelogEntries: 7, parts: { commands: "a", tools: "b" } };
	const changed = { ...recorded, parts: { commands: "a", tools: "c" } };
	expect(refusal(recorded, recorded)).toBeUndefined();
	expect(refusal(recorded, changed)).toContain("(tools)");
	expect(refusal(recorded, { ...changed, changelogEntries: 8 })).toBeUndefined();
	expect(changedParts(recorded, { ...recorded, parts: { ...recorded.parts, http: "d" } })).toEqual(["http"]);
});

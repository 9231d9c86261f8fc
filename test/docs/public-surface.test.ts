import { expect, test } from "vitest";
import { changedLines, parseRecord, readRecorded, readSurface, refusal } from "./public-surface.ts";
import { schemaLines } from "./surface-lines.ts";

test("the public surface is as recorded with the last line of the changelog that changed it", () => {
	const [recorded, now] = [readRecorded(), readSurface()];
	const hint = "add a line to CHANGELOG.md, then run `node test/docs/record-surface.ts`";
	expect(changedLines(recorded, now), hint).toEqual([]);
	expect(now.lines, hint).toEqual(recorded.lines);
	expect(now.changelogEntries, hint).toBeGreaterThanOrEqual(recorded.changelogEntries);
});

test("a record without the number of changelog entries is refused", () => {
	expect(parseRecord("changelog entries: 7\ntool: run\n")).toEqual({
		changelogEntries: 7,
		lines: ["tool: run"],
	});
	for (const first of ["", "changelog entries: ", "changelog entries: -7", "changelog entry number 7"]) {
		expect(() => parseRecord(`${first}\ntool: run\n`)).toThrow(`begins with "${first}"`);
	}
});

test("a change is recorded only with another line in the changelog", () => {
	const recorded = { changelogEntries: 7, lines: ["command: parley start", "tool: run"] };
	const changed = { ...recorded, lines: ["command: parley start", "tool: execute"] };
	expect(refusal(recorded, recorded)).toBeUndefined();
	expect(refusal(recorded, changed)).toContain("- tool: run\n+ tool: execute");
	expect(refusal(recorded, { ...changed, changelogEntries: 8 })).toBeUndefined();
	expect(changedLines(recorded, { ...recorded, lines: [...recorded.lines, "http: /x"] })).toEqual([
		"+ http: /x",
	]);
});

test("a schema is recorded with each field, type and limit, but without descriptions", () => {
	const schema = {
		type: "object",
		properties: {
			id: { type: "string", minLength: 1, description: "an id" },
			description: { anyOf: [{ const: "none" }, { type: "array", items: { type: "number" } }] },
		},
		required: ["id"],
		additionalProperties: false,
	};
	expect(schemaLines(schema, "open params")).toEqual([
		"open params: object, additionalProperties false",
		"open params.id: string, minLength 1",
		"open params.description?",
		'open params.description?|1: const "none"',
		"open params.description?|2: array",
		"open params.description?|2[]: number",
	]);
});

import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { placeRows } from "./people-and-channels.ts";

const look = (columns: number) => ({ columns, styles: createStyles(false) });
const place = {
	place: "discord:1:2",
	profile: {
		agent: "coder",
		model: "fast",
		tools: ["read_file", "git"],
		root: "/srv/\u001b[2Jsite",
		approvers: ["discord:1:3"],
		approve_in: ["slack:T:C", "discord:1:9"],
		budget_usd: 5,
		quota_bytes: 5_000_000,
		mention: "required" as const,
		sessions: "person" as const,
		approval_hours: 2,
	},
	source: "operator" as const,
};

test("each channel stands with all that was said of it, and who said so", () => {
	const plain = { place: "slack:T1", profile: { tools: [] }, source: "configuration" as const };
	const rows = placeRows([place, plain, { ...plain, profile: {} }], look(200));
	expect(rows).toEqual([
		"discord:1:2  (set by the operator)",
		"  agent: coder",
		"  model: fast",
		"  tools: read_file, git",
		expect.stringMatching(/^ {2}works in: \/srv\/\S+site$/),
		"  approvers: discord:1:3",
		"  approved also in: slack:T:C, discord:1:9",
		"  budget: $5.00 a day",
		"  workspace: up to 5.0 MB",
		"  mention: required",
		"  conversations: one for each person",
		"  questions wait: 2 h",
		"slack:T1  (configured)",
		"  tools: none",
		"slack:T1  (configured)",
		"  as everywhere",
	]);
	expect(rows.join("")).not.toContain("\u001b");
});

test("where nothing was said, the way to say it is shown", () => {
	expect(placeRows([], look(80))).toEqual([
		"every channel works as all do; `parley places set` says how one works",
	]);
});

test("no row is wider than the terminal", () => {
	expect(Math.max(...placeRows([place], look(30)).map(widthOf))).toBeLessThanOrEqual(30);
});

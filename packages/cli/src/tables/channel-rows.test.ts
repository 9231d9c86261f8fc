import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { channelRows } from "./people-and-channels.ts";

const format = (columns: number) => ({ columns, styles: createStyles(false) });
const channel = {
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

test("prints the settings of each channel, and their source", () => {
	const plain = { place: "slack:T1", profile: { tools: [] }, source: "configuration" as const };
	const rows = channelRows([channel, plain, { ...plain, profile: {} }], format(200));
	expect(rows).toEqual([
		"discord:1:2  (set by the operator)",
		"  agent: coder",
		"  model: fast",
		"  tools: read_file, git",
		expect.stringMatching(/^ {2}directory: \/srv\/\S+site$/),
		"  approvers: discord:1:3",
		"  approvals also in: slack:T:C, discord:1:9",
		"  budget: $5.00 a day",
		"  workspace: up to 5.0 MB",
		"  mention: required",
		"  sessions: one for each person",
		"  approvals expire after: 2 h",
		"slack:T1  (from the configuration)",
		"  tools: none",
		"slack:T1  (from the configuration)",
		"  default settings",
	]);
	expect(rows.join("")).not.toContain("\u001b");
});

test("names the command that sets channel settings if there are none", () => {
	expect(channelRows([], format(80))).toEqual([
		"No channel has its own settings. Use `parley channels set`.",
	]);
});

test("prints no row that is wider than the terminal", () => {
	expect(Math.max(...channelRows([channel], format(30)).map(widthOf))).toBeLessThanOrEqual(30);
});

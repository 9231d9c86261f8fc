import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { decisionRows, ruleRows } from "./access-tables.ts";

const format = { columns: 100, styles: createStyles(false) };
const denied: Parameters<typeof decisionRows>[0] = {
	reason: "we push\u001b by hand",
	classes: ["exec-sandboxed"],
	floor: false,
	effect: "deny" as const,
	rules: [
		{
			layer: "operator",
			source: "/d/policy.jsonc:4",
			effect: "deny",
			reason: "we push by hand",
			decides: true,
		},
		{
			layer: "workspace",
			source: "/w/.parley/policy.jsonc:1",
			effect: "ask",
			reason: "look",
			decides: false,
		},
	],
	sandbox: "bubblewrap",
	policy_version: "3-0123456789abcdef",
};

test("prints the decision, then the result of each rule", () => {
	expect(decisionRows(denied, format)).toEqual([
		"deny: we push\\u{1b} by hand",
		"classes: exec-sandboxed",
		"sandbox: bubblewrap",
		"policy: 3-0123456789abcdef",
		"   LAYER      EFFECT  REASON           SOURCE",
		"▸  operator   deny    we push by hand  /d/policy.jsonc:4",
		"   workspace  ask     look             /w/.parley/policy.jsonc:1",
	]);
});

test("marks rules that always ask, and prints no rules for an invalid call", () => {
	const refused = { ...denied, effect: "ask" as const, floor: true, classes: [], rules: [] };
	expect(decisionRows(refused, format).slice(0, 2)).toEqual([
		"ask always: we push\\u{1b} by hand",
		"classes: none",
	]);
	expect(decisionRows(refused, format)).toHaveLength(4);
});

const listing = {
	policy_version: "3",
	problem: "the operator's policy is invalid, and no tool runs until it is fixed",
	rules: [
		{
			layer: "built-in",
			effect: "ask" as const,
			reason: "secret",
			floor: true,
			ignored: false,
			classes: ["secret"],
		},
		{
			layer: "workspace",
			source: "/w/p:1",
			effect: "allow" as const,
			reason: "ignored",
			floor: false,
			ignored: true,
			tools: ["git", "run_*"],
			commands: [["git", "push"], ["ls"]],
			paths: ["a/**"],
			hosts: ["b.c"],
		},
		{
			layer: "agent",
			source: "/a/p:2",
			effect: "deny" as const,
			reason: "all",
			floor: false,
			ignored: false,
		},
	],
};

test("prints rules with their conditions, below the error of an invalid policy", () => {
	expect(ruleRows(listing, { ...format, columns: 120 }).map((row) => row.split(/ {2,}/))).toEqual([
		["✗ the operator's policy is invalid, and no tool runs until it is fixed"],
		["LAYER", "EFFECT", "WHEN", "REASON", "SOURCE"],
		["built-in", "ask always", "secret", "secret"],
		["workspace", "(allow)", "git or run_*; git push or ls; a/**; b.c", "ignored", "/w/p:1"],
		["agent", "deny", "every call", "all", "/a/p:2"],
	]);
});

test.each([80, 40])("prints no row that is wider than %d columns", (columns) => {
	const rows = [
		...ruleRows(listing, { ...format, columns }),
		...decisionRows(denied, { ...format, columns }),
	];
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
});

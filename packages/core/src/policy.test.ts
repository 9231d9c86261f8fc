import { expect, test } from "vitest";
import { decide, grantCovers } from "./policy.ts";
import type { ActionClass, GrantScope, ToolPlan } from "./tool.ts";

const tool = { name: "write_file" };
const scope: GrantScope = { kind: "path", tool: "write_file", root: "/w" };

function planOf(classes: readonly ActionClass[], more: Partial<ToolPlan> = {}): ToolPlan {
	return { label: "", classes, preview: "", binding: { path: "/w/x" }, grant: scope, notes: [], ...more };
}

function effectOf(
	classes: readonly ActionClass[],
	acceptAll: boolean,
	grants: readonly GrantScope[] = [],
): string {
	const { effect, floor } = decide({ tool, plan: planOf(classes) }, { acceptAll, grants });
	return floor ? `${effect} always` : effect;
}

test.each<[ActionClass, string, string, string]>([
	// class, nothing granted, granted for this session, all tools accepted
	["read", "allow", "allow", "allow"],
	["person", "allow", "allow", "allow"],
	["write", "ask", "allow", "allow"],
	["outside-read", "ask", "allow", "allow"],
	["exec-sandboxed", "ask", "allow", "allow"],
	["egress", "ask", "allow", "allow"],
	["exec-unsandboxed", "ask", "ask", "allow"],
	["outside-write", "ask always", "ask always", "ask always"],
	["secret", "ask always", "ask always", "ask always"],
	["control", "ask always", "ask always", "ask always"],
	["irreversible", "ask always", "ask always", "ask always"],
])("%s: %s, granted %s, all accepted %s", (name, alone, granted, accepted) => {
	expect(effectOf([name], false)).toBe(alone);
	expect(effectOf([name], false, [scope])).toBe(granted);
	expect(effectOf([name], true)).toBe(accepted);
});

test("of several classes the strictest decides", () => {
	expect(effectOf(["read", "write"], false)).toBe("ask");
	expect(effectOf(["read", "secret"], true, [scope])).toBe("ask always");
	expect(effectOf(["write", "control"], true, [scope])).toBe("ask always");
	expect(effectOf(["exec-unsandboxed", "irreversible"], true)).toBe("ask always");
	expect(effectOf(["write", "exec-unsandboxed"], false, [scope])).toBe("ask");
});

test("what no rule covers is always asked", () => {
	expect(effectOf([], true, [scope])).toBe("ask always");
});

test("the reason says why it is asked or what allows it", () => {
	const plan = planOf(["outside-write", "secret"]);
	expect(decide({ tool, plan }, { acceptAll: true, grants: [] }).reason).toBe(
		"writes outside of the roots; touches keys or passwords",
	);
	expect(decide({ tool, plan: planOf(["write"]) }, { acceptAll: true, grants: [] }).reason).toBe(
		"all tools are accepted in this session",
	);
	expect(decide({ tool, plan: planOf(["write"]) }, { acceptAll: false, grants: [scope] }).reason).toBe(
		"allowed for this session",
	);
});

test("a grant covers the same tool below its root, and nothing that offers no grant", () => {
	const covers = (more: Partial<ToolPlan>, name = "write_file"): boolean =>
		grantCovers(scope, { name }, planOf(["write"], more));
	expect(covers({})).toBe(true);
	expect(covers({ binding: { path: "/w" } })).toBe(true);
	expect(covers({ binding: { path: "/wide/x" } })).toBe(false);
	expect(covers({ binding: { path: "/x" } })).toBe(false);
	expect(covers({ binding: {} })).toBe(false);
	expect(covers({}, "read_file")).toBe(false);
	const { grant: _, ...ungranted } = planOf(["write"]);
	expect(grantCovers(scope, tool, ungranted)).toBe(false);
});

test("a grant of an argument prefix covers commands that begin alike", () => {
	const granted: GrantScope = { kind: "argv", tool: "run_command", prefix: ["npm", "test"] };
	const covers = (...prefix: string[]): boolean =>
		grantCovers(granted, { name: "run_command" }, planOf([], { grant: { ...granted, prefix } }));
	expect(covers("npm", "test")).toBe(true);
	expect(covers("npm", "test", "-w")).toBe(true);
	expect(covers("npm")).toBe(false);
	expect(covers("npm", "publish")).toBe(false);
	expect(grantCovers(granted, { name: "run_command" }, planOf([]))).toBe(false);
});

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ActionClass, Taint } from "../vocabulary/taint.ts";
import type { GrantScope, ToolPlan } from "../vocabulary/tool.ts";
import { decide, grantCovers, policyVersion } from "./policy.ts";

const tool = { name: "write_file" };
const scope: GrantScope = { kind: "path", tool: "write_file", root: "/w" };

function planOf(classes: readonly ActionClass[], more: Partial<ToolPlan> = {}): ToolPlan {
	return { label: "", classes, preview: "", binding: { path: "/w/x" }, grant: scope, notes: [], ...more };
}

function effectOf(
	classes: readonly ActionClass[],
	acceptAll: boolean,
	grants: readonly GrantScope[] = [],
	taint: Taint = "",
): string {
	const { effect, floor } = decide({ tool, plan: planOf(classes) }, { acceptAll, grants, taint });
	return floor ? `${effect} always` : effect;
}

test.each<[ActionClass, string, string, string]>([
	// Columns: class, then the results without grants, with a session approval, and with all tools accepted.
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
])(
	"the class %s: %s, with an approval for the session %s, with all tools accepted %s",
	(name, alone, granted, accepted) => {
		expect(effectOf([name], false)).toBe(alone);
		expect(effectOf([name], false, [scope])).toBe(granted);
		expect(effectOf([name], true)).toBe(accepted);
	},
);

test("the strictest of several classes decides", () => {
	expect(effectOf(["read", "write"], false)).toBe("ask");
	expect(effectOf(["read", "secret"], true, [scope])).toBe("ask always");
	expect(effectOf(["write", "control"], true, [scope])).toBe("ask always");
	expect(effectOf(["exec-unsandboxed", "irreversible"], true)).toBe("ask always");
	expect(effectOf(["write", "exec-unsandboxed"], false, [scope])).toBe("ask");
});

test("a class without a rule always requires approval", () => {
	expect(effectOf([], true, [scope])).toBe("ask always");
});

test.each<[Taint, ActionClass, string, string]>([
	// Columns: taint of the session, class, then the results with all tools accepted and with a session approval.
	["", "egress", "allow", "allow"],
	["U", "outside-read", "allow", "allow"],
	["E", "outside-read", "allow", "allow"],
	["UE", "read", "allow", "allow"],
	["UE", "write", "allow", "allow"],
	["UE", "egress", "allow", "allow"],
	["UE", "outside-read", "ask always", "ask always"],
	["P", "egress", "ask always", "ask always"],
	["UP", "egress", "ask always", "ask always"],
	["UP", "outside-read", "allow", "allow"],
	["UPE", "egress", "ask always", "ask always"],
	["UPE", "outside-read", "allow", "allow"],
	["UPE", "exec-sandboxed", "allow", "allow"],
	["UPE", "read", "allow", "allow"],
])("after %j a call of class %s: all accepted %s, granted %s", (taint, name, accepted, granted) => {
	expect(effectOf([name], true, [], taint)).toBe(accepted);
	expect(effectOf([name], false, [scope], taint)).toBe(granted);
});

test("the version is that of the rules: if this test fails, raise it, so that old approvals expire", () => {
	const classes: ActionClass[] = [
		...(["read", "write", "exec-sandboxed", "exec-unsandboxed", "egress", "outside-read"] as const),
		...(["outside-write", "secret", "control", "irreversible", "person"] as const),
		...(["client", "memory-read", "memory-write", "memory-everyone", "schedule"] as const),
	];
	const sets = [[], ...classes.flatMap((one) => classes.map((other) => [one, other]))];
	const decisions = (["", "U", "P", "E", "UP", "UE", "PE", "UPE"] as const).flatMap((taint) =>
		sets.map((set) => [
			effectOf(set, false, [], taint),
			effectOf(set, false, [scope], taint),
			effectOf(set, true, [], taint),
		]),
	);
	const hash = createHash("sha256").update(JSON.stringify(decisions)).digest("hex").slice(0, 16);
	expect({ version: policyVersion, hash }).toEqual({ version: "5", hash: "cccb9977e549720c" });
});

test("the reason states why a call requires approval or what allows it", () => {
	const plan = planOf(["outside-write", "secret"]);
	expect(decide({ tool, plan }, { acceptAll: true, grants: [], taint: "" }).reason).toBe(
		"writes outside the roots; reads or changes keys or passwords",
	);
	expect(decide({ tool, plan: planOf(["write"]) }, { acceptAll: true, grants: [], taint: "" }).reason).toBe(
		"all tools are accepted in this session",
	);
	expect(
		decide({ tool, plan: planOf(["egress"]) }, { acceptAll: true, grants: [], taint: "UP" }).reason,
	).toBe(
		"reaches the network; it combines untrusted text, private data and a way to send data out in this session",
	);
	expect(
		decide({ tool, plan: planOf(["write"]) }, { acceptAll: false, grants: [scope], taint: "" }).reason,
	).toBe("allowed for this session");
});

test("a grant covers the same tool below its root, and no call without an offered grant", () => {
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

test("a grant of an argument prefix covers commands with the same beginning", () => {
	const granted: GrantScope = { kind: "argv", tool: "run_command", prefix: ["npm", "test"] };
	const covers = (...prefix: string[]): boolean =>
		grantCovers(granted, { name: "run_command" }, planOf([], { grant: { ...granted, prefix } }));
	expect(covers("npm", "test")).toBe(true);
	expect(covers("npm", "test", "-w")).toBe(true);
	expect(covers("npm")).toBe(false);
	expect(covers("npm", "publish")).toBe(false);
	expect(grantCovers(granted, { name: "run_command" }, planOf([]))).toBe(false);
});

import { expect, test } from "vitest";
import { builtinTools } from "../tools/builtin.ts";
import { undoChanges } from "../tools/files/undo-changes.ts";
import { decide, policyVersion } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

const plan = {
	label: "undo the changes of 2 files",
	classes: ["write"],
	preview: "",
	binding: { path: "/w/src/a.ts" },
	notes: [],
} as const;
const context = { cwd: "/w", roots: ["/w"], forbidden: [] };

function effectOf(rule: object, furtherPaths: readonly string[]): string {
	const text = JSON.stringify({ rules: [rule] });
	const { rules, ignored } = readPolicy({ layer: "operator", path: "/d/policy.jsonc", text }, builtinTools());
	const policy = { version: `${policyVersion}+test`, rules, ignored };
	const call = { tool: undoChanges, plan: { ...plan, furtherPaths }, args: { turn: "run_1" }, context };
	return decide(call, { acceptAll: false, grants: [], taint: "", policy }).effect;
}

const onPath = (effect: string, path: string) => ({ effect, tool: "write_file", when: { path } });

test("a rule that denies a path of a call applies to each of its paths", () => {
	expect(effectOf(onPath("deny", "src/**"), ["/w/docs/b.md"])).toBe("deny");
	expect(effectOf(onPath("deny", "docs/**"), ["/w/docs/b.md"])).toBe("deny");
	expect(effectOf(onPath("deny", "test/**"), ["/w/docs/b.md"])).toBe("ask");
});

test("a rule that allows paths allows a call only if it covers all of its paths", () => {
	expect(effectOf(onPath("allow", "src/**"), ["/w/src/b.ts"])).toBe("allow");
	expect(effectOf(onPath("allow", "src/**"), ["/w/docs/b.md"])).toBe("ask");
});

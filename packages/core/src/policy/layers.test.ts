import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { ActionClass, Taint } from "../vocabulary/taint.ts";
import type { ToolPlan } from "../vocabulary/tool.ts";
import { decide, type Permissions } from "./policy.ts";
import type { PolicyInForce, PolicyRule } from "./policy-rule.ts";
import { type PolicySource, readPolicy } from "./read-policy.ts";

const context = createToolContext("/w");
const tool = { name: "write_file" };

function rulesOf(rules: readonly object[], layer: PolicySource["layer"] = "operator"): readonly PolicyRule[] {
	const text = JSON.stringify({ rules });
	return readPolicy({ layer, path: `/${layer}/policy.jsonc`, text }, builtinTools()).rules;
}

function policyOf(rules: readonly PolicyRule[]): PolicyInForce {
	return { version: "1", rules, ignored: [] };
}

function planOf(classes: readonly ActionClass[], more: Partial<ToolPlan> = {}): ToolPlan {
	const grant = { kind: "path", tool: "write_file", root: "/w" } as const;
	return { label: "", classes, preview: "", binding: { path: "/w/src/x" }, grant, notes: [], ...more };
}

function judge(plan: ToolPlan, rules: readonly PolicyRule[], more: Partial<Permissions> = {}) {
	const permissions = { acceptAll: false, grants: [], taint: "" as const, policy: policyOf(rules), ...more };
	return decide({ tool, plan, context }, permissions);
}

const [deny, ask, allow] = [{ effect: "deny" }, { effect: "ask" }, { effect: "allow" }];

test.each<[string, readonly object[], ActionClass, string]>([
	["nothing", [], "write", "ask"],
	["allow", [allow], "write", "allow"],
	["ask and allow", [allow, ask], "write", "ask"],
	["deny and allow", [allow, deny], "write", "deny"],
	["deny and ask", [deny, ask], "write", "deny"],
	["ask, for a read-only call", [ask], "read", "ask"],
	["deny, for a read-only call", [deny], "read", "deny"],
	["allow, for a call with secrets", [allow], "secret", "ask always"],
	["allow, for an irreversible call", [allow], "irreversible", "ask always"],
	["allow, for another class", [{ ...allow, when: { class: "egress" } }], "write", "ask"],
	["allow, for another tool", [{ ...allow, tool: "git" }], "write", "ask"],
	["allow, for another path", [{ ...allow, when: { path: "docs/**" } }], "write", "ask"],
	["allow, for the path of the call", [{ ...allow, when: { path: "src/**" } }], "write", "allow"],
	["allow all, without a sandbox", [allow], "exec-unsandboxed", "ask"],
	[
		"allow this class only, without a sandbox",
		[{ ...allow, when: { class: "exec-unsandboxed" } }],
		"exec-unsandboxed",
		"allow",
	],
])("rules of the operator decide a call: %s", (_, rules, name, expected) => {
	const { effect, floor } = judge(planOf([name]), rulesOf(rules));
	expect(floor ? `${effect} always` : effect).toBe(expected);
});

test("a call from a chat requires approval without a sandbox, despite any rules", () => {
	const rules = rulesOf([{ ...allow, when: { class: ["exec-unsandboxed"] } }]);
	expect(judge(planOf(["exec-unsandboxed"]), rules, { fromChat: true, acceptAll: true })).toMatchObject({
		effect: "ask",
		floor: true,
	});
});

test("no rule lifts an approval that the taint requires", () => {
	expect(judge(planOf(["egress"]), rulesOf([allow]), { taint: "UP" })).toMatchObject({
		effect: "ask",
		floor: true,
	});
	expect(judge(planOf(["egress"]), rulesOf([allow]), { taint: "U" })).toMatchObject({ effect: "allow" });
});

test("all classes of a call must be allowed, not just one", () => {
	const rules = rulesOf([{ ...allow, when: { class: "write" } }]);
	expect(judge(planOf(["write", "egress"]), rules).effect).toBe("ask");
	expect(judge(planOf(["read", "write"]), rules).effect).toBe("allow");
});

test("a grant lifts the approval that a rule requires, and nothing lifts a denial", () => {
	const permissions = {
		acceptAll: true,
		grants: [{ kind: "path", tool: "write_file", root: "/w" } as const],
	};
	for (const layer of ["operator", "agent", "workspace"] as const) {
		expect(judge(planOf(["read"]), rulesOf([ask], layer), permissions).effect).toBe("allow");
		expect(judge(planOf(["read"]), rulesOf([deny], layer), permissions).effect).toBe("deny");
	}
});

test("trust in a channel does not lift an approval that a rule requires", () => {
	const plan = planOf(["write"]);
	const trusted = { trusted: true };
	expect(judge(plan, [], trusted).reason).toBe("a trust grant of the channel covers this call");
	for (const layer of ["operator", "agent", "workspace"] as const) {
		expect(judge(plan, rulesOf([ask], layer), trusted)).toMatchObject({ effect: "ask", floor: false });
		expect(judge(plan, rulesOf([{ ...ask, tool: "git" }], layer), trusted).effect).toBe("allow");
		expect(judge(plan, rulesOf([ask], layer), { ...trusted, acceptAll: true }).effect).toBe("allow");
	}
});

test("the decision lists the rules that apply, the deciding one first", () => {
	const rules = [
		...rulesOf([allow, { ...ask, reason: "look" }]),
		...rulesOf([{ ...ask, tool: "git" }], "workspace"),
	];
	expect(judge(planOf(["write"]), rules)).toEqual({
		effect: "ask",
		floor: false,
		reason: "look",
		rules: [
			{ layer: "operator", source: "/operator/policy.jsonc:1", effect: "ask", reason: "look", decides: true },
			{
				layer: "operator",
				source: "/operator/policy.jsonc:1",
				effect: "allow",
				reason: "a rule of the operator, policy.jsonc:1",
				decides: false,
			},
			{ layer: "built-in", effect: "ask", reason: "writes a file", decides: false },
		],
	});
	expect(judge(planOf(["write"]), rulesOf([allow])).reason).toBe("a rule of the operator, policy.jsonc:1");
});

test("a search is denied if it could read denied files", () => {
	const rules = rulesOf([{ ...deny, when: { path: "src/x/**" } }]);
	const search = (path: string, below: boolean) =>
		judge(planOf(["read"], { binding: { path }, below }), rules).effect;
	expect(search("/w", true)).toBe("deny");
	expect(search("/w/src", true)).toBe("deny");
	expect(search("/w/docs", true)).toBe("allow");
	expect(search("/w", false)).toBe("allow");
});

const strictness: Readonly<Record<string, number>> = { allow: 0, ask: 1, deny: 2 };
const classes: readonly ActionClass[] = [
	"read",
	"write",
	"exec-sandboxed",
	"exec-unsandboxed",
	"egress",
	"secret",
];

/**
 * Generator of random rules, calls and permissions. The seed is fixed, so each run of the test generates the same
 * values.
 */
class Chance {
	readonly #ids = seededIds(11);

	below(count: number): number {
		return Buffer.from(this.#ids.create("x")).readUInt32BE(4) % count;
	}

	pick<T>(values: readonly [T, ...T[]]): T {
		return values[this.below(values.length)] ?? values[0];
	}

	rule(effects: readonly [string, ...string[]]): object {
		const when = {
			...(this.below(2) === 0 && { class: [this.pick(["read", "write", "egress", "exec-unsandboxed"])] }),
			...(this.below(3) === 0 && { path: this.pick(["src/**", "*.x", "/w", "docs/**"]) }),
		};
		return { effect: this.pick(effects), tool: this.pick(["*", "write_*", "git"]), when };
	}

	call(): { readonly plan: ToolPlan; readonly permissions: Partial<Permissions> } {
		const chosen = classes.filter(() => this.below(3) === 0);
		const path = this.pick(["/w/src/a.x", "/w/docs/b", "/x/c"]);
		const taint: Taint = this.pick(["", "U", "UP", "UPE"]);
		const permissions = { acceptAll: this.below(3) === 0, taint, fromChat: this.below(2) === 0 };
		return { plan: planOf(chosen, { binding: { path }, below: this.below(2) === 0 }), permissions };
	}

	shuffled<T>(values: readonly T[]): T[] {
		return values
			.map((value) => ({ value, at: this.below(1_000_000) }))
			.sort((a, b) => a.at - b.at)
			.map(({ value }) => value);
	}
}

test("the order of rules has no effect, and a lower layer never loosens a decision", () => {
	const chance = new Chance();
	for (let round = 0; round < 2_000; round += 1) {
		const { plan, permissions } = chance.call();
		const own = rulesOf(Array.from({ length: chance.below(5) }, () => chance.rule(["deny", "ask", "allow"])));
		const before = judge(plan, own, permissions);
		const reordered = judge(plan, chance.shuffled(own), permissions);
		expect([reordered.effect, reordered.floor]).toEqual([before.effect, before.floor]);
		const layer = chance.pick(["agent", "workspace"] as const);
		const effects: [string, ...string[]] = layer === "agent" ? ["deny", "ask"] : ["deny", "ask", "allow"];
		const added = rulesOf(
			Array.from({ length: 1 + chance.below(3) }, () => chance.rule(effects)),
			layer,
		);
		const after = judge(plan, chance.shuffled([...own, ...added]), permissions);
		expect(strictness[after.effect]).toBeGreaterThanOrEqual(strictness[before.effect] ?? 0);
		if (after.effect === before.effect) expect(after.floor).toBe(before.floor);
	}
});

test("no rule of any layer removes the minimum protection", () => {
	const chance = new Chance();
	for (let round = 0; round < 500; round += 1) {
		const { permissions } = chance.call();
		const rules = rulesOf(Array.from({ length: 4 }, () => chance.rule(["allow"])));
		for (const name of ["secret", "control", "irreversible", "outside-write"] as const) {
			expect(judge(planOf(["read", name]), rules, permissions)).toMatchObject({ effect: "ask", floor: true });
		}
	}
});

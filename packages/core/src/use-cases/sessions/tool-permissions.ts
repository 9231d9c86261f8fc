import type { Session } from "../../conversation/session.ts";
import { matchesName } from "../../policy/commands/places.ts";
import {
	type BuiltInRule,
	builtInRules,
	type Effect,
	type PolicyInForce,
	type PolicyRule,
} from "../../policy/policy-rule.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { ruleNameOf, type Tool } from "../../vocabulary/tool.ts";

/**
 * Permission of an ordinary call of a tool in a session. Any other call can have a stricter effect, for example a
 * call that accesses files outside the roots.
 */
export interface ToolPermission {
	readonly tool: string;
	/** Effect of an ordinary call. Also `ask` if the effect depends on the arguments, as for `git`. */
	readonly effect: Effect;
	/** Whether calls of the tool change nothing. */
	readonly isPure: boolean;
	/** Reason for the permission, as a text to show, or "" if the built-in rules decide. */
	readonly reason: string;
}

/** Returns the permission of each tool of a session, in the order in which a model receives the tools. */
export function toolPermissions(
	session: Session,
	policy: PolicyInForce,
	tools: readonly Tool[],
): ToolPermission[] {
	return tools.map((tool) => ({
		tool: tool.name,
		isPure: tool.effect === "none",
		...permissionOf(tool, policy, session.trusted),
	}));
}

function permissionOf(
	tool: Tool,
	{ rules, problem }: PolicyInForce,
	acceptsAll: boolean,
): Pick<ToolPermission, "effect" | "reason"> {
	if (problem) return { effect: "deny", reason: problem.reason };
	const own = rules.filter((rule) => mayApply(rule, tool));
	const denied = own.find((rule) => rule.effect === "deny" && deniesUsual(rule, tool));
	if (denied) return { effect: "deny", reason: denied.reason };
	const strict = own.find(({ effect }) => effect !== "allow");
	if (strict) return { effect: "ask", reason: strict.reason };
	const approvalRules = approvalRulesFor(tool);
	const isLifted = acceptsAll && approvalRules.every(({ liftedBy }) => liftedBy.includes("accept-all"));
	if (approvalRules.length === 0 || isLifted) return { effect: "allow", reason: "" };
	const allowed = own.find((rule) => allowsAll(rule, approvalRules));
	return allowed ? { effect: "allow", reason: allowed.reason } : { effect: "ask", reason: "" };
}

function approvalRulesFor({ usual, effect }: Tool): readonly BuiltInRule[] {
	if (!usual)
		return effect === "none" ? [] : builtInRules.filter(({ when }) => when.includes("exec-sandboxed"));
	return builtInRules.filter(
		(rule) => rule.effect === "ask" && rule.when.some((name) => usual.includes(name)),
	);
}

/** Classes for tool calls with neither a path nor a host. */
const withoutPlace: readonly ActionClass[] = [
	"person",
	"memory-read",
	"memory-write",
	"memory-everyone",
	"schedule",
];

function mayApply({ tools, classes, commands, paths, hosts }: PolicyRule, tool: Tool): boolean {
	const { usual, command } = tool;
	const name = ruleNameOf(tool);
	if (tools && !tools.some((pattern) => matchesName(name, pattern))) return false;
	if (classes && usual && !classes.some((one) => usual.includes(one))) return false;
	if (commands && !command) return false;
	if (paths && usual?.every((one) => withoutPlace.includes(one))) return false;
	return !hosts || !usual || usual.includes("egress");
}

/** Whether a rule for the tool applies to each ordinary call of the tool. */
function deniesUsual(rule: PolicyRule, { usual }: Tool): boolean {
	return !hasArgumentConditions(rule) && (!rule.classes || usual !== undefined);
}

function hasArgumentConditions({ commands, paths, hosts }: PolicyRule): boolean {
	return [commands, paths, hosts].some((condition) => condition !== undefined);
}

/** Whether a rule of the operator allows every tool call for which `approvalRules` require approval. */
function allowsAll(rule: PolicyRule, approvalRules: readonly BuiltInRule[]): boolean {
	const { effect, layer, classes } = rule;
	if (effect !== "allow" || layer !== "operator" || hasArgumentConditions(rule)) return false;
	return approvalRules.every(
		({ when, liftedBy }) =>
			liftedBy.includes("rule") && (!classes || when.every((one) => classes.includes(one))),
	);
}

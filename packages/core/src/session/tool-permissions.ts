import { matchesName } from "../commands/places.ts";
import type { Effect, PolicyInForce, PolicyRule } from "../policy/policy-rule.ts";
import type { RunSettings } from "../run/settings.ts";
import { ruleNameOf, type Tool } from "../tool.ts";
import type { Session } from "./session.ts";

/**
 * The permission of a tool in a session, as far as it is known without the arguments of a call. It is that of a usual call:
 * one that touches keys or leaves the roots always requires approval.
 */
export interface ToolPermission {
	readonly tool: string;
	/** `ask` for each tool that changes something, although the rules may allow some of its calls. */
	readonly effect: Effect;
	/** Whether its calls change nothing. */
	readonly isPure: boolean;
	/** For a person; "" if the built-in rules decide. */
	readonly reason: string;
}

/** The permissions of all tools of a session, in the order in which a model gets them. */
export function toolPermissions(session: Session, { tools }: Pick<RunSettings, "tools">): ToolPermission[] {
	const policy = session.deps.policies.of(session);
	return tools.map((tool) => ({
		...{ tool: tool.name, isPure: tool.effect === "none" },
		...permissionOf(tool, policy, session.trusted),
	}));
}

function permissionOf(
	tool: Tool,
	{ rules, problem }: PolicyInForce,
	trusted: boolean,
): Pick<ToolPermission, "effect" | "reason"> {
	if (problem) return { effect: "deny", reason: problem.reason };
	const name = ruleNameOf(tool);
	const own = rules.filter(({ tools }) => !tools || tools.some((pattern) => matchesName(name, pattern)));
	const denied = own.find((rule) => rule.effect === "deny" && concernsAll(rule));
	if (denied) return { effect: "deny", reason: denied.reason };
	const strict = own.find(({ effect }) => effect !== "allow");
	if (strict) return { effect: "ask", reason: strict.reason };
	const isUnasked = tool.effect === "none" || name.startsWith("client:") || trusted;
	if (isUnasked) return { effect: "allow", reason: "" };
	const allowed = own.find(
		(rule) => rule.effect === "allow" && rule.layer === "operator" && concernsAll(rule),
	);
	return allowed ? { effect: "allow", reason: allowed.reason } : { effect: "ask", reason: "" };
}

/** Whether a rule has no condition but the name of the tool. */
function concernsAll({ classes, commands, paths, hosts }: PolicyRule): boolean {
	return !classes && !commands && !paths && !hosts;
}

import { completesTaint, type Taint, taintOf, taintReason } from "./taint.ts";
import type { ActionClass, GrantScope, Tool, ToolPlan } from "./tool.ts";
import { isWithin } from "./tools/paths.ts";

/** Part of what an approval is bound to: approvals and grants given under other rules no longer hold. */
export const policyVersion = "3";

type Effect = "allow" | "ask" | "deny";
/** What takes the place of asking. */
type Standing = "grant" | "accept-all";

/** One rule about calls of these classes. A call that several rules concern gets the strictest of them. */
interface Rule {
	readonly effect: Effect;
	readonly when: readonly ActionClass[];
	/** What allows the call where the rule would ask; a rule that nothing lifts is the always-ask floor. */
	readonly liftedBy: readonly Standing[];
	readonly reason: string;
}

/** The built-in layer. A layer above it can only be added to the list: the strictest rule wins, in any order. */
const rules: readonly Rule[] = [
	{ effect: "allow", when: ["read"], liftedBy: [], reason: "reads inside the roots" },
	{ effect: "allow", when: ["person"], liftedBy: [], reason: "asks a person" },
	{ effect: "ask", when: ["write"], liftedBy: ["grant", "accept-all"], reason: "writes a file" },
	{
		effect: "ask",
		when: ["outside-read"],
		liftedBy: ["grant", "accept-all"],
		reason: "reads outside of the roots",
	},
	{ effect: "ask", when: ["exec-sandboxed"], liftedBy: ["grant", "accept-all"], reason: "runs a command" },
	{ effect: "ask", when: ["egress"], liftedBy: ["grant", "accept-all"], reason: "reaches the network" },
	{
		effect: "ask",
		when: ["exec-unsandboxed"],
		liftedBy: ["accept-all"],
		reason: "runs a command without a sandbox",
	},
	{ effect: "ask", when: ["outside-write"], liftedBy: [], reason: "writes outside of the roots" },
	{ effect: "ask", when: ["secret"], liftedBy: [], reason: "touches keys or passwords" },
	{
		effect: "ask",
		when: ["control"],
		liftedBy: [],
		reason: "touches what steers this machine or the gateway",
	},
	{ effect: "ask", when: ["irreversible"], liftedBy: [], reason: "cannot be taken back" },
];
const unknownClass: Rule = { effect: "ask", when: [], liftedBy: [], reason: "no rule covers it" };

/** What holds in the session when the call is decided. */
export interface Permissions {
	/** Whether `accept_all_tools` is in force. */
	readonly acceptAll: boolean;
	/** What "for this session" answers allowed. */
	readonly grants: readonly GrantScope[];
	/** What has come together in the session, with the calls that are allowed already and run before this one. */
	readonly taint: Taint;
}

export interface Decision {
	readonly effect: Effect;
	/** Whether the call is asked about whatever was granted. */
	readonly floor: boolean;
	/** For people: why it is asked, or what allows it. */
	readonly reason: string;
}

const strictness: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 };

/** Decides about a call by its classes: deny before ask before allow, and ask where no rule says anything. */
export function decide(
	{ tool, plan }: { readonly tool: Pick<Tool, "name">; readonly plan: ToolPlan },
	{ acceptAll, grants, taint }: Permissions,
): Decision {
	const concerned = rules.filter(({ when }) => when.some((name) => plan.classes.includes(name)));
	const matched = concerned.length > 0 ? concerned : [unknownClass];
	const level = Math.max(...matched.map(({ effect }) => strictness[effect]));
	const strictest = matched.filter(({ effect }) => strictness[effect] === level);
	const floor = strictest.some(({ effect, liftedBy }) => effect === "ask" && liftedBy.length === 0);
	const [{ effect } = unknownClass] = strictest;
	const reason = [...new Set(strictest.map((rule) => rule.reason))].join("; ");
	if (effect !== "deny" && completesTaint(taint, taintOf(plan.classes))) {
		return { effect: "ask", floor: true, reason: `${reason}; ${taintReason}` };
	}
	if (effect !== "ask" || floor) return { effect, floor, reason };
	const isLifted = (by: Standing): boolean => strictest.every(({ liftedBy }) => liftedBy.includes(by));
	if (acceptAll && isLifted("accept-all")) {
		return { effect: "allow", floor, reason: "all tools are accepted in this session" };
	}
	if (isLifted("grant") && grants.some((scope) => grantCovers(scope, tool, plan))) {
		return { effect: "allow", floor, reason: "allowed for this session" };
	}
	return { effect, floor, reason };
}

/** Whether a "for this session" answer covers a call: the same tool, and a path below or a command that begins alike. */
export function grantCovers(
	scope: GrantScope,
	tool: Pick<Tool, "name">,
	{ grant, binding }: ToolPlan,
): boolean {
	// A plan that offers no grant is covered by none.
	if (grant === undefined || scope.tool !== tool.name) return false;
	if (scope.kind === "path") {
		const path = binding["path"];
		return grant.kind === "path" && path !== undefined && isWithin(path, scope.root);
	}
	return grant.kind === "argv" && scope.prefix.every((word, index) => word === grant.prefix[index]);
}

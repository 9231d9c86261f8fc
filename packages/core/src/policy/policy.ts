import { isWithin } from "../filesystem/paths.ts";
import { type ActionClass, completesTaint, type Taint, taintOf, taintReason } from "../vocabulary/taint.ts";
import { type GrantScope, type NamedTool, ruleNameOf, type ToolPlan } from "../vocabulary/tool.ts";
import { CallFacts, findAllowing, type JudgedCall, mayConcern } from "./match-rule.ts";
import {
	type BuiltInRule,
	builtInRules,
	type DescribedRule,
	type Effect,
	type Lift,
	type PolicyInForce,
	type PolicyRule,
	unknownClass,
} from "./policy-rule.ts";
import { policyTexts } from "./texts.ts";

/** Version of the built-in rules. The version of each policy and of each approval binding begins with this version. */
export const policyVersion = "5";

const sharedNoteReason = policyTexts.notesForAll;

const laterNote = policyTexts.schedulesAfterUntrusted;

/** Permissions of the session when the decision is made. */
export interface Permissions {
	/** Whether `accept_all_tools` is active. */
	readonly acceptAll: boolean;
	/** Session approvals. */
	readonly grants: readonly GrantScope[];
	/** Taint of the session, including the taint from allowed calls that run before the call to decide. */
	readonly taint: Taint;
	/** Rules in addition to the built-in rules. Default: none. */
	readonly policy?: PolicyInForce;
	/** Whether a trust grant of the channel covers the call. */
	readonly trusted?: boolean;
	/** Whether the session belongs to a chat channel. */
	readonly fromChat?: boolean;
}

export interface Decision {
	readonly effect: Effect;
	/** Whether the call always requires approval, regardless of grants. */
	readonly floor: boolean;
	/** Reason for people: why the call is denied or requires approval, or which rule allows it. */
	readonly reason: string;
	/** Rules that match the call. The deciding rules precede the other rules. */
	readonly rules: readonly DescribedRule[];
	/** Number of different people who must approve the call. Default: 1. */
	readonly approvals?: number;
}

/** Policy without rules in files. */
export const builtInPolicy: PolicyInForce = { version: policyVersion, rules: [], ignored: [] };

interface Asking {
	readonly description: Omit<DescribedRule, "decides">;
	readonly liftedBy: readonly Lift[];
	readonly classes: readonly ActionClass[];
	readonly approvals?: number;
}

/**
 * Returns the decision about a call. Among the rules in files, `deny` overrides `ask`, and `ask` overrides `allow`,
 * regardless of the order of the rules. Only `allow` rules of the operator can replace an approval that the built-in
 * rules require. No rule can allow a call that always requires approval.
 */
export function decide(call: JudgedCall, permissions: Permissions): Decision {
	const { policy = builtInPolicy } = permissions;
	if (policy.problem) return denied([{ effect: "deny", ...policy.problem }]);
	const facts = new CallFacts(call);
	const strict = policy.rules.filter((rule) => rule.effect !== "allow" && mayConcern(rule, facts));
	const ignored = policy.ignored.filter((rule) => mayConcern(rule, facts)).map(describeRule);
	const denying = strict.filter(({ effect }) => effect === "deny");
	if (denying.length > 0) return denied(denying.map(describeRule), [...strict.map(describeRule), ...ignored]);
	const written = strict.map(askingOf);
	const decision = allowOrAsk(call, { facts, written, ignored }, permissions);
	const approvals = Math.max(1, ...written.map((asking) => asking.approvals ?? 1));
	return decision.effect === "ask" && approvals > 1 ? { ...decision, approvals } : decision;
}

interface RuleInputs {
	readonly facts: CallFacts;
	readonly written: readonly Asking[];
	readonly ignored: readonly Omit<DescribedRule, "decides">[];
}

function allowOrAsk(call: JudgedCall, inputs: RuleInputs, permissions: Permissions): Decision {
	const { plan } = call;
	const matched = builtInRules.filter(({ when }) => when.some((name) => plan.classes.includes(name)));
	const builtIn = (matched.length > 0 ? matched : [unknownClass]).map((rule) => builtInOf(rule, permissions));
	const asking = builtIn.filter(({ description }) => description.effect === "ask");
	const floor = asking.filter(({ liftedBy }) => liftedBy.length === 0);
	const allowing = floor.length > 0 ? [] : findLifting(asking, inputs.facts, permissions).map(describeRule);
	const remaining = [...(allowing.length > 0 ? [] : asking), ...inputs.written];
	const all = [...builtIn, ...inputs.written].map(({ description }) => description);
	const others = [...allowing, ...all, ...inputs.ignored];
	const left = remaining.map(({ description }) => description);
	if (completesTaint(permissions.taint, taintOf(plan.classes))) {
		const taint = { layer: "built-in", effect: "ask", reason: taintReason } as const;
		return decided([...(left.length > 0 ? left : all), taint], others, { effect: "ask", floor: true });
	}
	if (remaining.length === 0) {
		return decided(allowing.length > 0 ? allowing : all, others, { effect: "allow", floor: false });
	}
	if (floor.length > 0) return decided(left, others, { effect: "ask", floor: true });
	const lift = findLift(call, remaining, permissions);
	if (lift === undefined) return decided(left, others, { effect: "ask", floor: false });
	const lifted = { layer: "session", effect: "allow", reason: lift } as const;
	return decided([lifted], others, { effect: "allow", floor: false });
}

/**
 * Returns the operator's `allow` rules that together replace all approvals in `asking`. Returns an empty list if one of
 * the approvals is not replaced.
 */
function findLifting(
	asking: readonly Asking[],
	facts: CallFacts,
	{ policy = builtInPolicy }: Permissions,
): readonly PolicyRule[] {
	const needed = [...new Set(asking.flatMap(({ classes }) => classes))];
	const neededClasses = needed.filter((name) => facts.plan.classes.includes(name));
	if (asking.length === 0 || asking.some(({ liftedBy }) => !liftedBy.includes("rule"))) return [];
	const rules = policy.rules.filter(({ effect, layer }) => effect === "allow" && layer === "operator");
	return findAllowing(rules, facts, neededClasses);
}

/** Returns the reason why an earlier permission replaces all required approvals, or undefined. */
function findLift(
	{ tool, plan }: JudgedCall,
	asking: readonly Asking[],
	{ acceptAll, grants, trusted = false }: Permissions,
): string | undefined {
	const isLifted = (by: Lift): boolean => asking.every(({ liftedBy }) => liftedBy.includes(by));
	if (acceptAll && isLifted("accept-all")) return policyTexts.allAccepted;
	if (isLifted("grant") && grants.some((scope) => grantCovers(scope, tool, plan))) {
		return policyTexts.allowedForSession;
	}
	// A rule in a file requires the approval explicitly, so a trust grant does not replace the approval.
	const isBuiltIn = asking.every(({ description }) => description.layer === "built-in");
	if (trusted && isBuiltIn && isLifted("grant")) return policyTexts.trusted;
	return undefined;
}

function denied(
	deciding: readonly Omit<DescribedRule, "decides">[],
	others: readonly Omit<DescribedRule, "decides">[] = [],
): Decision {
	return decided(deciding, others, { effect: "deny", floor: false });
}

function decided(
	deciding: readonly Omit<DescribedRule, "decides">[],
	others: readonly Omit<DescribedRule, "decides">[],
	{ effect, floor }: { readonly effect: Effect; readonly floor: boolean },
): Decision {
	const isDeciding = (one: Omit<DescribedRule, "decides">): boolean =>
		deciding.some(
			({ layer, source, reason }) => layer === one.layer && source === one.source && reason === one.reason,
		);
	return {
		effect,
		floor,
		reason: [...new Set(deciding.map(({ reason }) => reason))].join("; "),
		rules: [
			...deciding.map((rule) => ({ ...rule, decides: true })),
			...others.filter((rule) => !isDeciding(rule)).map((rule) => ({ ...rule, decides: false })),
		],
	};
}

function describeRule({ layer, source, effect, reason }: PolicyRule): Omit<DescribedRule, "decides"> {
	return { layer, source, effect, reason };
}

function askingOf(rule: PolicyRule): Asking {
	const { approvals = 1 } = rule;
	// If the rule requires several approvals, neither a grant nor `accept_all_tools` replaces them.
	const liftedBy: readonly Lift[] = approvals > 1 ? ["approver"] : ["grant", "accept-all"];
	return { description: describeRule(rule), liftedBy, classes: [], approvals };
}

/**
 * Returns the approval that a built-in rule requires. The following calls always require approval:
 * - an unsandboxed command in a session of a channel
 * - a change of shared notes in a session of a channel or in a tainted session, because every later run may read the
 *   notes
 * - a change of schedules in a tainted session
 *
 * In a session of a channel, an approver can approve a change of schedules.
 */
function builtInOf(
	{ effect, reason, liftedBy, when }: BuiltInRule,
	{ fromChat = false, taint }: Permissions,
): Asking {
	if (when.includes("memory-everyone") && (fromChat || taint !== "")) {
		return {
			description: { layer: "built-in", effect: "ask", reason: sharedNoteReason },
			liftedBy: [],
			classes: when,
		};
	}
	if (when.includes("schedule") && taint !== "") {
		const description = { layer: "built-in", effect: "ask", reason: laterNote } as const;
		return { description, liftedBy: fromChat ? ["approver"] : [], classes: when };
	}
	const isFloor = fromChat && when.includes("exec-unsandboxed");
	return {
		description: { layer: "built-in", effect, reason },
		liftedBy: isFloor ? [] : liftedBy,
		classes: when,
	};
}

/** Returns the session approvals in `scopes` that were granted under the version of the policy. */
export function grantsUnder(
	{ version }: PolicyInForce,
	scopes: readonly GrantScope[],
): readonly GrantScope[] {
	return scopes.filter(({ policy = policyVersion }) => policy === version);
}

/**
 * Whether a session approval covers a call. The call must use the approved tool. If the approval is for a path, the
 * path of the call must be at or below the approved path. If the approval is for a command, the command of the call
 * must begin with the approved words.
 */
export function grantCovers(scope: GrantScope, tool: NamedTool, { grant, binding }: ToolPlan): boolean {
	// No session approval covers a plan without a grant scope.
	if (grant === undefined || scope.tool !== ruleNameOf(tool)) return false;
	if (scope.kind === "path") {
		const path = binding["path"];
		return grant.kind === "path" && path !== undefined && isWithin(path, scope.root);
	}
	return grant.kind === "argv" && scope.prefix.every((word, index) => word === grant.prefix[index]);
}

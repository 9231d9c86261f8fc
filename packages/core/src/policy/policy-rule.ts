import type { ActionClass } from "../vocabulary/taint.ts";
import type { PathPattern } from "./path-pattern.ts";
import { effectTexts, policyTexts } from "./texts.ts";

export type Effect = "allow" | "ask" | "deny";

/**
 * Layer of a rule. A rule in the layer `agent` or `channel` must be `ask` or `deny`. In the layer `workspace`, an
 * `allow` rule has no effect.
 */
export type Layer = "built-in" | "operator" | "agent" | "channel" | "workspace";

/** A rule of a policy file or of the channel settings. */
export interface PolicyRule {
	readonly layer: Layer;
	/** Position of the rule in its file: `FILE:LINE`. For a channel rule, the name of its source. */
	readonly source: string;
	readonly effect: Effect;
	/** Reason for people and the model. */
	readonly reason: string;
	/** Names of tools. `*` matches any characters. */
	readonly tools?: readonly string[];
	readonly classes?: readonly ActionClass[];
	/** Commands, each as the name of a program and its first arguments. */
	readonly commands?: readonly (readonly string[])[];
	readonly paths?: readonly PathPattern[];
	/** Names of hosts in lower case. `*` matches any characters. */
	readonly hosts?: readonly string[];
	/** Number of different people who must approve a call to which the `ask` rule applies. Default: 1. */
	readonly approvals?: number;
}

/** Rules that currently apply to a session, in addition to the built-in rules. */
export interface PolicyInForce {
	/** Version that changes whenever a rule changes. */
	readonly version: string;
	readonly rules: readonly PolicyRule[];
	/** `allow` rules of the workspace. They have no effect. */
	readonly ignored: readonly PolicyRule[];
	/** Layer with an unusable policy file, and the reason. While `problem` is set, every call is denied. */
	readonly problem?: { readonly layer: Layer; readonly reason: string };
}

export interface DescribedRule {
	/** Layer of the rule. `session`: not a rule, but an earlier permission for the session. */
	readonly layer: Layer | "session";
	readonly source?: string;
	readonly effect: Effect;
	readonly reason: string;
	readonly decides: boolean;
}

/**
 * Permission that replaces the approval by a person:
 * - `rule`: a rule of the operator
 * - `grant`: a session approval or a trust grant
 * - `accept-all`: `accept_all_tools`
 * - `approver`: no permission, but in a channel an approver can approve the call
 */
export type Lift = "rule" | "grant" | "accept-all" | "approver";

/**
 * Built-in rule for calls of the classes in `when`. If several built-in rules match a call, the strictest of them
 * applies.
 */
export interface BuiltInRule {
	readonly effect: Effect;
	readonly when: readonly ActionClass[];
	/**
	 * Permissions that replace the approval of an `ask` rule. If the list is empty, calls always require the approval.
	 */
	readonly liftedBy: readonly Lift[];
	readonly reason: string;
}

/** The built-in rules. They apply to every call, in addition to rules in files. */
export const builtInRules: readonly BuiltInRule[] = [
	{ effect: "allow", when: ["read"], liftedBy: [], reason: effectTexts.reads },
	{ effect: "allow", when: ["person"], liftedBy: [], reason: effectTexts.asks },
	{ effect: "allow", when: ["client"], liftedBy: [], reason: effectTexts.runsOnClient },
	{
		effect: "ask",
		when: ["mcp"],
		liftedBy: ["rule", "grant", "accept-all"],
		reason: effectTexts.mcpTool,
	},
	{
		effect: "ask",
		when: ["mcp-changed"],
		liftedBy: [],
		reason: effectTexts.changedDescription,
	},
	{ effect: "allow", when: ["memory-read"], liftedBy: [], reason: effectTexts.readsNotes },
	{
		effect: "allow",
		when: ["memory-write"],
		liftedBy: [],
		reason: effectTexts.changesNotes,
	},
	{
		effect: "ask",
		when: ["memory-everyone"],
		liftedBy: ["rule", "accept-all"],
		reason: effectTexts.changesNotesForAll,
	},
	{
		effect: "ask",
		when: ["schedule"],
		liftedBy: ["rule", "accept-all"],
		reason: effectTexts.changesSchedules,
	},
	{ effect: "ask", when: ["write"], liftedBy: ["rule", "grant", "accept-all"], reason: effectTexts.writes },
	{
		effect: "ask",
		when: ["outside-read"],
		liftedBy: ["rule", "grant", "accept-all"],
		reason: effectTexts.readsOutside,
	},
	{
		effect: "ask",
		when: ["exec-sandboxed"],
		liftedBy: ["rule", "grant", "accept-all"],
		reason: effectTexts.runsCommand,
	},
	{
		effect: "ask",
		when: ["egress"],
		liftedBy: ["rule", "grant", "accept-all"],
		reason: effectTexts.network,
	},
	{
		effect: "ask",
		when: ["exec-unsandboxed"],
		liftedBy: ["rule", "accept-all"],
		reason: effectTexts.withoutSandbox,
	},
	{ effect: "ask", when: ["outside-write"], liftedBy: [], reason: effectTexts.writesOutside },
	{ effect: "ask", when: ["secret"], liftedBy: [], reason: effectTexts.secrets },
	{
		effect: "ask",
		when: ["control"],
		liftedBy: [],
		reason: effectTexts.controlFiles,
	},
	{ effect: "ask", when: ["irreversible"], liftedBy: [], reason: effectTexts.irreversible },
];
/** Rule for a call if there is a built-in rule for none of the call's classes. */
export const unknownClass: BuiltInRule = {
	effect: "ask",
	when: [],
	liftedBy: [],
	reason: policyTexts.noRule,
};

/** Classes of the most common calls that require approval. */
const usualClasses: readonly ActionClass[] = ["write", "exec-sandboxed", "schedule", "mcp"];

const usualReasons: ReadonlySet<string> = new Set(
	builtInRules
		.filter(({ when }) => when.some((name) => usualClasses.includes(name)))
		.map(({ reason }) => reason),
);

/**
 * Whether the deciding rules require approval only because of a common class of the call. False if a rule in a file or
 * a warning requires the approval.
 */
export function isUsualReason(rules: readonly DescribedRule[]): boolean {
	return rules
		.filter(({ decides }) => decides)
		.every(({ layer, reason }) => layer === "built-in" && usualReasons.has(reason));
}

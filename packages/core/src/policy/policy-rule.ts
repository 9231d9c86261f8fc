import type { ActionClass } from "../vocabulary/taint.ts";
import type { PathPattern } from "./path-pattern.ts";
import { effectTexts, policyTexts } from "./texts.ts";

export type Effect = "allow" | "ask" | "deny";

/** Layer of a rule, strongest first. Layers after `operator` can only add `ask` and `deny`. */
export type Layer = "built-in" | "operator" | "agent" | "channel" | "workspace";

/** Rule in a file. It applies to calls that match all its conditions. An absent condition matches every call. */
export interface PolicyRule {
	readonly layer: Layer;
	/** Position: `FILE:LINE`. */
	readonly source: string;
	readonly effect: Effect;
	/** For people and the model. */
	readonly reason: string;
	/** Names of tools, `*` for any letters. */
	readonly tools?: readonly string[];
	readonly classes?: readonly ActionClass[];
	/** Programs with the arguments they begin with. */
	readonly commands?: readonly (readonly string[])[];
	readonly paths?: readonly PathPattern[];
	/** Names of hosts in lower case, `*` for any letters. */
	readonly hosts?: readonly string[];
	/** Approvals by different people that a call needs, for `ask`. Default: 1. */
	readonly approvals?: number;
}

/** Rules that currently apply to a session, besides the built-in ones. */
export interface PolicyInForce {
	/** Changes whenever a rule changes. */
	readonly version: string;
	readonly rules: readonly PolicyRule[];
	/** Rules that a layer may not make. They have no effect. */
	readonly ignored: readonly PolicyRule[];
	/** Reason why a layer cannot be read: then every call is denied. */
	readonly problem?: { readonly layer: Layer; readonly reason: string };
}

export interface DescribedRule {
	/** `session`: approvals for the session. */
	readonly layer: Layer | "session";
	readonly source?: string;
	readonly effect: Effect;
	readonly reason: string;
	readonly decides: boolean;
}

/**
 * Permission that replaces an approval: a rule of the operator, an approval for the session, or `accept_all_tools`. With
 * `approver` no permission replaces it: the call always requires approval, which an approver of the channel can give.
 */
export type Lift = "rule" | "grant" | "accept-all" | "approver";

/** One rule about calls of these classes. A call that several rules concern gets the strictest of them. */
export interface BuiltInRule {
	readonly effect: Effect;
	readonly when: readonly ActionClass[];
	/** Permissions that replace the approval. A rule without any is an always-required approval. */
	readonly liftedBy: readonly Lift[];
	readonly reason: string;
}

/** The built-in layer, which applies if no file has a rule. */
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
/** Rule for classes that no built-in rule has. */
export const unknownClass: BuiltInRule = {
	effect: "ask",
	when: [],
	liftedBy: [],
	reason: policyTexts.noRule,
};

/** Classes of calls that most approvals are about. */
const usualClasses: readonly ActionClass[] = ["write", "exec-sandboxed", "schedule", "mcp"];

const usualReasons: ReadonlySet<string> = new Set(
	builtInRules
		.filter(({ when }) => when.some((name) => usualClasses.includes(name)))
		.map(({ reason }) => reason),
);

/** Whether a call requires approval only because of its usual classes: no rule of a file and no warning decided it. */
export function isUsualReason(rules: readonly DescribedRule[]): boolean {
	return rules
		.filter(({ decides }) => decides)
		.every(({ layer, reason }) => layer === "built-in" && usualReasons.has(reason));
}

import { ozzie, type Requirement } from "../requirement.ts";

export const policyRequirements = {
	"policy.rules": ozzie(
		"our own, why a call is asked about",
		"Rules in the operator's file allow, ask about and deny calls, and count from the next call on as they stand there.",
	),
	"policy.stricter": ozzie(
		"our own, why a call is asked about",
		"What a workspace's file says can only ask and deny; what it would allow counts for nothing.",
	),
	"policy.floor": ozzie(
		"our own, why a call is asked about",
		"No rule allows what is always asked about, and no command that a rule does not allow word for word.",
	),
	"policy.broken": ozzie(
		"our own, why a call is asked about",
		"A gateway whose policy is broken does not start; while it is broken at run time every call is denied, and the health endpoint says why with 503.",
	),
	"policy.test": ozzie(
		"our own, why a call is asked about",
		"`test_policy` tells what would become of a call and which rule of which layer decides, and nothing runs; `show_policy` lists the rules.",
	),
} as const satisfies Record<string, Requirement>;

import { ozzie, type Requirement } from "../requirement.ts";

export const policyRequirements = {
	"policy.rules": ozzie(
		"our own: Test the policy",
		"Rules in the operator's file allow calls, require approval or deny, and apply from the next call after a change.",
	),
	"policy.stricter": ozzie(
		"our own: Test the policy",
		"Rules in a workspace's file only require approval or deny. An `allow` there has no effect.",
	),
	"policy.floor": ozzie(
		"our own: Test the policy",
		"No rule allows a call whose approval is always required, or a command that the rule does not match word for word.",
	),
	"policy.always": ozzie(
		"our own: Always allow a command",
		"`allow_always` adds the rule that an approval offers to the operator's file, and approves the call. An approval of a call that no rule can allow offers none.",
	),
	"policy.broken": ozzie(
		"our own: Test the policy",
		"A gateway with an invalid policy does not start. If the policy becomes invalid later, every call is denied, and health is 503 with the reason.",
	),
	"policy.test": ozzie(
		"our own: Test the policy",
		"`test_policy` returns the decision for a call with its rule and layer, and runs nothing. `show_policy` lists the rules.",
	),
} as const satisfies Record<string, Requirement>;

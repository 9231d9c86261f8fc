import { ParleyError } from "@parley/base";
import type { MethodsOf } from "./request-target.ts";

/** How the operator learns why a call would be asked about. */
export const policyMethods: MethodsOf<"test_policy"> = {
	async test_policy({ deps }, { principal, params }) {
		const { session_id, command, tool, arguments: args, agent, place } = params;
		if ((command === undefined) === (tool === undefined)) {
			throw new ParleyError("command: say either a command, or a tool and its arguments", {
				code: "invalid_argument",
			});
		}
		const answer = await deps.runtime.trust.policies.test(principal, {
			tool: tool ?? "run_command",
			arguments: tool === undefined ? { cmd: command } : (args ?? {}),
			...(session_id !== undefined && { sessionId: session_id }),
			...(agent !== undefined && { agent }),
			...(place !== undefined && { place }),
		});
		const { policyVersion, classes, rules, ...same } = answer;
		return {
			...same,
			classes: [...classes],
			rules: rules.map(({ source, ...rule }) => ({ ...rule, ...(source !== undefined && { source }) })),
			policy_version: policyVersion,
		};
	},
};

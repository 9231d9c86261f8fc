import { ParleyError } from "@parley/base";
import type { ListedRule } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import type { MethodsOf } from "./request-target.ts";

/** How the operator learns which rules hold, and why a call would be asked about. */
export const policyMethods: MethodsOf<"test_policy" | "show_policy"> = {
	async test_policy({ deps }, { principal, params }) {
		const { command, tool, arguments: args } = params;
		if ((command === undefined) === (tool === undefined)) {
			throw new ParleyError("command: say either a command, or a tool and its arguments", {
				code: "invalid_argument",
			});
		}
		const answer = await deps.runtime.trust.policies.test(principal, {
			tool: tool ?? "run_command",
			arguments: tool === undefined ? { cmd: command } : (args ?? {}),
			...placeIn(params),
		});
		const { policyVersion, classes, rules, effect, floor, reason, sandbox } = answer;
		return {
			...{ effect, floor, reason, classes: [...classes] },
			rules: rules.map(({ source, ...rule }) => ({ ...rule, ...(source !== undefined && { source }) })),
			...{ sandbox, policy_version: policyVersion },
		};
	},

	async show_policy({ deps }, { principal, params }) {
		const { policyVersion, problem, rules } = await deps.runtime.trust.policies.list(
			principal,
			placeIn(params),
		);
		return {
			policy_version: policyVersion,
			...(problem !== undefined && { problem }),
			rules: rules.map(encodeRule),
		};
	},
};

/** Where rules are asked for. */
interface PlaceParams {
	readonly session_id?: string | undefined;
	readonly agent?: string | undefined;
	readonly place?: string | undefined;
}

function placeIn({ session_id, agent, place }: PlaceParams): {
	readonly sessionId?: string;
	readonly agent?: string;
	readonly place?: string;
} {
	return {
		...(session_id !== undefined && { sessionId: session_id }),
		...(agent !== undefined && { agent }),
		...(place !== undefined && { place }),
	};
}

function encodeRule({
	tools,
	classes,
	commands,
	paths,
	hosts,
	...rule
}: ListedRule): MethodResult<"show_policy">["rules"][number] {
	return {
		...rule,
		...(tools && { tools: [...tools] }),
		...(classes && { classes: [...classes] }),
		...(commands && { commands: commands.map((words) => [...words]) }),
		...(paths && { paths: [...paths] }),
		...(hosts && { hosts: [...hosts] }),
	};
}

import { builtInRules } from "../policy/built-in-rules.ts";
import type { Effect, Layer, PolicyRule } from "../policy/policy-rule.ts";
import type { Policies, PolicyPlace } from "./policies.ts";
import { findScene } from "./policy-scene.ts";
import type { TrustOptions } from "./trust-options.ts";

/** A rule as it was written. */
export interface ListedRule {
	readonly layer: Layer;
	readonly source?: string;
	readonly effect: Effect;
	readonly reason: string;
	/** Whether it asks whatever was granted. */
	readonly floor: boolean;
	/** Whether its layer may not make it, so that it counts for nothing. */
	readonly ignored: boolean;
	readonly tools?: readonly string[];
	readonly classes?: readonly string[];
	readonly commands?: readonly (readonly string[])[];
	readonly paths?: readonly string[];
	readonly hosts?: readonly string[];
}

/** All rules that hold somewhere. */
export interface PolicyListing {
	readonly policyVersion: string;
	/** Why a layer cannot be read: then every call is denied. */
	readonly problem?: string;
	readonly rules: readonly ListedRule[];
}

/** The rules that hold at a place, in the order of their layers. */
export async function listRules(
	place: PolicyPlace,
	options: TrustOptions & { readonly policies: Pick<Policies, "of"> },
): Promise<PolicyListing> {
	const { version, rules, ignored, problem } = options.policies.of(await findScene(place, options));
	return {
		policyVersion: version,
		...(problem && { problem: problem.reason }),
		rules: [
			...builtInRules.map(({ effect, reason, when, liftedBy }) => {
				const floor = effect === "ask" && liftedBy.length === 0;
				return { layer: "built-in", effect, reason, floor, ignored: false, classes: when } as const;
			}),
			...rules.map((rule) => listed(rule, false)),
			...ignored.map((rule) => listed(rule, true)),
		],
	};
}

function listed({ paths, ...rule }: PolicyRule, ignored: boolean): ListedRule {
	return { ...rule, ...(paths && { paths: paths.map(({ text }) => text) }), floor: false, ignored };
}

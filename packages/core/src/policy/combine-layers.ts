import { createHash } from "node:crypto";
import { basename } from "node:path";
import { ruleNameOf } from "../vocabulary/tool.ts";
import { builtInAlone, policyVersion } from "./policy.ts";
import type { Layer, PolicyInForce, PolicyRule } from "./policy-rule.ts";
import type { KnownTool } from "./read-policy.ts";
import type { PolicyState } from "./watched-policy.ts";

/** What one layer adds at this moment. */
export interface LayerState {
	readonly layer: Layer;
	readonly path: string;
	readonly state: PolicyState;
}

/** The tools that a channel leaves to its sessions, and all that there are. */
interface ChannelTools {
	readonly left: readonly string[];
	readonly all: readonly KnownTool[];
}

/** Puts the layers of a session together; the version stands for all of them. */
export function combineLayers(
	layers: readonly LayerState[],
	channel: ChannelTools | undefined,
): PolicyInForce {
	const there = layers.filter(({ state }) => state.digest !== "");
	if (there.length === 0 && !channel) return builtInAlone;
	const told = there.map(({ layer, state }) => [layer, state.digest]);
	const text = JSON.stringify([told, channel?.left ?? null]);
	const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
	const faulty = there.find(({ state }) => state.problem !== undefined);
	return {
		version: `${policyVersion}-${hash}`,
		rules: [...there.flatMap(({ state }) => state.rules), ...channelRules(channel)],
		ignored: there.flatMap(({ state }) => state.ignored),
		...(faulty && { problem: { layer: faulty.layer, reason: whyDenied(faulty) } }),
	};
}

/** For the model, too: without the directories of the operator. */
function whyDenied({ layer, path, state: { problem = "" } }: LayerState): string {
	const told = problem.replaceAll(path, basename(path));
	return `the ${layer}'s policy cannot be used, and nothing runs until it is mended: ${told}`;
}

function channelRules(channel: ChannelTools | undefined): PolicyRule[] {
	const denied = channel?.all.filter(({ name }) => !channel.left.includes(name)).map(ruleNameOf) ?? [];
	if (!channel || denied.length === 0) return [];
	const reason = `this channel has only the tools ${channel.left.join(", ")}`;
	return [{ layer: "channel", source: "its profile", effect: "deny", reason, tools: denied }];
}

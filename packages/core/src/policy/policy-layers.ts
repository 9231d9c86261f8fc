import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { defined, definedItems, ParleyError } from "@parley/base";
import { LRUCache } from "lru-cache";
import { ruleNameOf } from "../vocabulary/tool.ts";
import { builtInPolicy, policyVersion } from "./policy.ts";
import type { Layer, PolicyInForce, PolicyRule } from "./policy-rule.ts";
import type { KnownTool, PolicySource } from "./read-policy.ts";
import { policyTexts } from "./texts.ts";
import { type PolicyState, WatchedPolicy } from "./watched-policy.ts";

/** A policy file after its first read or after a change. */
export interface PolicyChange {
	readonly layer: PolicySource["layer"];
	readonly path: string;
	readonly state: PolicyState;
	/** State before the change. Undefined at the first read. */
	readonly before: PolicyState | undefined;
}

export interface LayerFiles {
	/** Path of the operator's policy file. */
	readonly file: string;
	readonly agents?: string;
	readonly tools: readonly KnownTool[];
	/** Known tools that are not built in. Rules may name them. */
	readonly others?: readonly KnownTool[];
	readonly onRead: (change: PolicyChange) => void;
}

/** Facts about a session. The facts decide which rules apply. */
export interface PolicyScope {
	readonly profile: string;
	readonly rootDir: string;
	/** Names of the tools that the channel allows. Absent: all tools. */
	readonly channelTools?: readonly string[] | undefined;
	/**
	 * Agent that delegates to the agent of `profile`. The rules of the delegating agent also apply. Default: `profile`.
	 */
	readonly above?: string;
}

interface Layered {
	readonly layer: Layer;
	readonly path: string;
	readonly watched: WatchedPolicy;
}

interface Combined {
	readonly states: readonly LayerState[];
	readonly policy: PolicyInForce;
}

/** Maximum entries of each cache. At the next use of an evicted entry, its files are read or combined again. */
const maxCachedFiles = 1_000;

/** Reads the policy files of all layers. Each lookup checks for changed files. */
export class PolicyLayers {
	readonly #files: LayerFiles;
	readonly #operator: Layered;
	readonly #others = new LRUCache<string, Layered>({ max: maxCachedFiles });
	readonly #combined = new LRUCache<string, Combined>({ max: maxCachedFiles });

	constructor(files: LayerFiles) {
		this.#files = files;
		this.#operator = this.#watch("operator", files.file);
	}

	/** Returns the current state of the operator's policy file. */
	get operator(): PolicyState {
		return this.#operator.watched.current();
	}

	/** Returns the operator's rules, which apply to all sessions. */
	everywhere(): PolicyInForce {
		return this.#combine("", [this.#operator], undefined);
	}

	/**
	 * Returns the rules for sessions with the facts in `PolicyScope`. Returns the same object for equal facts until a
	 * policy file changes or the cache evicts the object.
	 */
	of({ profile, rootDir, channelTools, above = profile }: PolicyScope): PolicyInForce {
		const { agents, file } = this.#files;
		const workspace = join(rootDir, ".parley", "policy.jsonc");
		const ofAgents = [...new Set([above, profile])];
		const layers = definedItems([
			this.#operator,
			...(agents === undefined
				? []
				: ofAgents.map((agent) => this.#find("agent", join(agents, agent, "policy.jsonc")))),
			workspace === file ? undefined : this.#find("workspace", workspace),
		]);
		return this.#combine(JSON.stringify([ofAgents, rootDir, channelTools]), layers, channelTools);
	}

	#combine(
		key: string,
		layers: readonly Layered[],
		channelTools: readonly string[] | undefined,
	): PolicyInForce {
		const states = layers.map(({ layer, path, watched }) => ({ layer, path, state: watched.current() }));
		const known = this.#combined.get(key);
		if (known?.states.every(({ state }, index) => state === states[index]?.state)) return known.policy;
		const policy = combineLayers(states, channelTools && { left: channelTools, all: this.#files.tools });
		this.#combined.set(key, { states, policy });
		return policy;
	}

	#find(layer: PolicySource["layer"], path: string): Layered {
		const known = this.#others.get(path);
		if (known) return known;
		const layered = this.#watch(layer, path);
		this.#others.set(path, layered);
		return layered;
	}

	#watch(layer: PolicySource["layer"], path: string): Layered {
		const { others = [], onRead } = this.#files;
		const tools = [...this.#files.tools, ...others];
		const watched = new WatchedPolicy({
			layer,
			path,
			tools,
			foreign: layer === "workspace",
			onRead: (state, before) => onRead({ layer, path, state, before }),
		});
		return { layer, path, watched };
	}
}

interface LayerState {
	readonly layer: Layer;
	readonly path: string;
	readonly state: PolicyState;
}

interface ChannelTools {
	readonly left: readonly string[];
	readonly all: readonly KnownTool[];
}

/**
 * Combines the rules of the layers with the rules for the channel's tools. `version` identifies the combination.
 * Returns `builtInPolicy` if there is no file and no channel.
 */
function combineLayers(layers: readonly LayerState[], channel: ChannelTools | undefined): PolicyInForce {
	const there = layers.filter(({ state }) => state.digest !== "");
	if (there.length === 0 && !channel) return builtInPolicy;
	const digests = there.map(({ layer, state }) => [layer, state.digest]);
	const text = JSON.stringify([digests, channel?.left ?? null]);
	const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
	const faulty = there.find(({ state }) => state.problem !== undefined);
	return {
		version: `${policyVersion}-${hash}`,
		rules: [...there.flatMap(({ state }) => state.rules), ...channelRules(channel)],
		ignored: there.flatMap(({ state }) => state.ignored),
		...defined({ problem: faulty && { layer: faulty.layer, reason: denialReason(faulty) } }),
	};
}

/**
 * Returns the reason why calls are denied: a policy file is unusable. Omits the directory of the file, because the
 * model also reads the reason.
 */
function denialReason({ layer, path, state: { problem = "" } }: LayerState): string {
	const shown = problem.replaceAll(path, basename(path));
	return policyTexts.invalid(layer, shown);
}

function channelRules(channel: ChannelTools | undefined): PolicyRule[] {
	const denied = channel?.all.filter(({ name }) => !channel.left.includes(name)).map(ruleNameOf) ?? [];
	if (!channel || denied.length === 0) return [];
	const reason = policyTexts.channelTools(channel.left);
	return [{ layer: "channel", source: policyTexts.profile, effect: "deny", reason, tools: denied }];
}

/** Rules of a policy file, and the layer of the file. The path of the file determines the layer. */
interface CheckedPolicy {
	readonly layer: PolicySource["layer"];
	readonly rules: readonly PolicyRule[];
	readonly ignored: readonly PolicyRule[];
}

/**
 * Reads a policy file in the same way as the gateway. The path determines the layer: `agent` or `workspace` for the
 * paths of those layers, and `operator` for any other path. Throws `not_found` if the file does not exist, and
 * `failed_precondition` with the problem if the file cannot be used.
 */
export function checkPolicy(path: string, tools: readonly KnownTool[]): CheckedPolicy {
	if (!existsSync(path)) throw new ParleyError(policyTexts.noFile(path), { code: "not_found" });
	const layer = layerOf(path);
	const watched = new WatchedPolicy({
		layer,
		path,
		tools,
		foreign: layer === "workspace",
		onRead: () => undefined,
	});
	const { problem, rules, ignored } = watched.current();
	if (problem !== undefined) throw new ParleyError(problem, { code: "failed_precondition" });
	return { layer, rules, ignored };
}

function layerOf(path: string): PolicySource["layer"] {
	if (path.endsWith("/.parley/policy.jsonc")) return "workspace";
	return /\/agents\/[^/]+\/policy\.jsonc$/.test(path) ? "agent" : "operator";
}

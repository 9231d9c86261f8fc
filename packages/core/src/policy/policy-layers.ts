import { join } from "node:path";
import { combineLayers, type LayerState } from "./combine-layers.ts";
import type { PolicyInForce } from "./policy-rule.ts";
import type { KnownTool, PolicySource } from "./read-policy.ts";
import { type PolicyState, WatchedPolicy } from "./watched-policy.ts";

/** A file of rules that has become another one. */
export interface PolicyChange {
	readonly layer: PolicySource["layer"];
	readonly path: string;
	readonly state: PolicyState;
	/** Undefined where it was looked at for the first time. */
	readonly before: PolicyState | undefined;
}

export interface LayerFiles {
	/** The operator's. */
	readonly file: string;
	/** The directory of agents. */
	readonly agents?: string;
	readonly tools: readonly KnownTool[];
	/** Tools that are not here, and that rules may name all the same. */
	readonly others?: readonly KnownTool[];
	readonly onRead: (change: PolicyChange) => void;
}

/** What of a session its rules depend on. */
export interface PolicyScope {
	readonly profile: string;
	readonly rootDir: string;
	/** The tools that its channel leaves it; all where absent. */
	readonly channelTools?: readonly string[] | undefined;
}

interface Layered extends Pick<LayerState, "layer" | "path"> {
	readonly watched: WatchedPolicy;
}

interface Combined {
	readonly states: readonly LayerState[];
	readonly policy: PolicyInForce;
}

/** So many agents and workspaces are remembered; of others it is forgotten that their files were read. */
const mostRemembered = 1_000;

/** The files of all layers. Each is looked at whenever somebody asks, which costs a few microseconds. */
export class PolicyLayers {
	readonly #files: LayerFiles;
	readonly #operator: Layered;
	readonly #others = new Map<string, Layered>();
	readonly #combined = new Map<string, Combined>();

	constructor(files: LayerFiles) {
		this.#files = files;
		this.#operator = this.#watch("operator", files.file);
	}

	/** The operator's file as it is now. */
	get operator(): PolicyState {
		return this.#operator.watched.look();
	}

	/** What holds for everybody. */
	everywhere(): PolicyInForce {
		return this.#combine("", [this.#operator], undefined);
	}

	/** The same object as long as no rule in it is another one. */
	of({ profile, rootDir, channelTools }: PolicyScope): PolicyInForce {
		const { agents, file } = this.#files;
		const workspace = join(rootDir, ".parley", "policy.jsonc");
		const layers = [
			this.#operator,
			...(agents === undefined ? [] : [this.#find("agent", join(agents, profile, "policy.jsonc"))]),
			...(workspace === file ? [] : [this.#find("workspace", workspace)]),
		];
		return this.#combine(JSON.stringify([profile, rootDir, channelTools]), layers, channelTools);
	}

	#combine(
		key: string,
		layers: readonly Layered[],
		channelTools: readonly string[] | undefined,
	): PolicyInForce {
		const states = layers.map(({ layer, path, watched }) => ({ layer, path, state: watched.look() }));
		const known = this.#combined.get(key);
		if (known?.states.every(({ state }, index) => state === states[index]?.state)) return known.policy;
		const policy = combineLayers(states, channelTools && { left: channelTools, all: this.#files.tools });
		remember(this.#combined, key, { states, policy });
		return policy;
	}

	#find(layer: PolicySource["layer"], path: string): Layered {
		const known = this.#others.get(path);
		if (known) return known;
		const layered = this.#watch(layer, path);
		remember(this.#others, path, layered);
		return layered;
	}

	#watch(layer: PolicySource["layer"], path: string): Layered {
		const { others = [], onRead } = this.#files;
		const tools = [...this.#files.tools, ...others];
		const watched = new WatchedPolicy({
			...{ layer, path, tools, foreign: layer === "workspace" },
			onRead: (state, before) => onRead({ layer, path, state, before }),
		});
		return { layer, path, watched };
	}
}

/** The oldest makes room. */
function remember<Value>(known: Map<string, Value>, key: string, value: Value): void {
	const [oldest] = known.keys();
	if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest);
	known.set(key, value);
}

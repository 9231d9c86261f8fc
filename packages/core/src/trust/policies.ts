import { ParleyError } from "@parley/base";
import { builtInAlone } from "../policy/policy.ts";
import { type PolicyChange, PolicyLayers } from "../policy/policy-layers.ts";
import type { PolicyInForce, SpokenRule } from "../policy/policy-rule.ts";
import { authorize } from "../vocabulary/authorize.ts";
import type { Principal } from "../vocabulary/principal.ts";
import { byItself } from "./audit/audit.ts";
import { judgeQuestion } from "./judge-question.ts";
import { listRules, type PolicyListing } from "./list-rules.ts";
import type { Places } from "./places.ts";
import type { TrustOptions } from "./trust-options.ts";

/** Where a call would be made; the operator's own new session at the first root where nothing is said. */
export interface PolicyPlace {
	readonly sessionId?: string;
	readonly agent?: string;
	readonly place?: string;
}

/** A call to be judged without running it. */
export interface PolicyQuestion extends PolicyPlace {
	readonly tool: string;
	readonly arguments: unknown;
}

/** Why a call would be let through, asked about or denied. */
export interface PolicyAnswer {
	readonly effect: "allow" | "ask" | "deny";
	readonly floor: boolean;
	readonly reason: string;
	readonly classes: readonly string[];
	readonly rules: readonly SpokenRule[];
	readonly sandbox: string;
	readonly policyVersion: string;
}

/** The agent, the working directory and the channel that rules are asked for. */
export interface RulesFor {
	readonly profile: string;
	readonly rootDir: string;
	readonly place: string | undefined;
}

/** The rules that the operator, agents, channels and workspaces add to the built-in ones. */
export class Policies {
	readonly #options: TrustOptions;
	readonly #places: Pick<Places, "profileOf">;
	readonly #layers: PolicyLayers | undefined;
	readonly #listeners = new Set<() => void>();

	constructor(options: TrustOptions, places: Pick<Places, "profileOf">) {
		this.#options = options;
		this.#places = places;
		const { policy, tools } = options;
		this.#layers = policy && new PolicyLayers({ ...policy, tools, onRead: (change) => this.#tell(change) });
	}

	/** Reads the operator's file; throws `failed_precondition` with line and reason where it cannot be used. */
	async load(): Promise<void> {
		const { problem } = this;
		if (problem === undefined) return;
		throw new ParleyError(`the policy cannot be used: ${problem}`, { code: "failed_precondition" });
	}

	/** Why the operator's file cannot be used as it is now: then every call is denied. */
	get problem(): string | undefined {
		return this.#layers?.operator.problem;
	}

	/** Of the rules that hold everywhere at this moment. */
	get version(): string {
		return (this.#layers?.everywhere() ?? builtInAlone).version;
	}

	/** What holds for a session at this moment: the same object as long as no rule in it is another one. */
	of({ profile, rootDir, place }: RulesFor): PolicyInForce {
		const channelTools = this.#places.profileOf(place).tools;
		return this.#layers?.of({ profile, rootDir, channelTools }) ?? builtInAlone;
	}

	/** Calls whenever a rule of any layer has become another one, until what is returned is called. */
	onChange(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** What would become of a call. Nothing runs and nothing is recorded. */
	async test(principal: Principal, question: PolicyQuestion): Promise<PolicyAnswer> {
		authorize(principal, "policy.read");
		return judgeQuestion(question, { ...this.#options, policies: this, places: this.#places });
	}

	/** The rules that hold somewhere, in the order of their layers. */
	async list(principal: Principal, place: PolicyPlace): Promise<PolicyListing> {
		authorize(principal, "policy.read");
		return listRules(place, { ...this.#options, policies: this });
	}

	#tell({ layer, path, state, before }: PolicyChange): void {
		const { log, audit } = this.#options;
		// Of the operator's file, `load` tells whoever starts the program.
		const isStart = before === undefined && layer === "operator";
		if (state.problem !== undefined && !isStart) {
			log.error("a policy cannot be used", { layer, reason: state.problem });
		}
		if (state.problem === undefined && before?.problem !== undefined)
			log.info("a policy can be used again", { layer, path });
		for (const { source } of state.ignored) log.warn("a rule of a workspace allows nothing", { source });
		// A start that is refused leaves no record.
		if (before === undefined && (state.digest === "" || state.problem !== undefined)) return;
		const action = before === undefined ? "policy.load" : "policy.change";
		const decision = state.problem === undefined ? "loaded" : "broken";
		const facts = { digest: state.digest, rules: state.rules.length, layer };
		audit
			.note({ ...byItself, action, object: path, decision, args: facts })
			.catch((error: unknown) => log.error("a change of the policy is not in the audit", { path, error }));
		if (before !== undefined) for (const listener of this.#listeners) listener();
	}
}

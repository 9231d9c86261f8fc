import { defined, definedItems, ParleyError } from "@parley/base";
import { chooseRoot, toolRoots } from "../filesystem/paths.ts";
import { builtInPolicy, decide, grantsUnder } from "../policy/policy.ts";
import { type PolicyChange, PolicyLayers } from "../policy/policy-layers.ts";
import {
	builtInRules,
	type DescribedRule,
	type Effect,
	type Layer,
	type PolicyInForce,
	type PolicyRule,
} from "../policy/policy-rule.ts";
import { noProfiles } from "../policy/profiles/profile.ts";
import { findTaint } from "../store/session-taint.ts";
import { prepareCall } from "../tools/calls/tool-call.ts";
import { authorize, unknownSession } from "../vocabulary/authorize.ts";
import { checkMemory } from "../vocabulary/memory.ts";
import type { Principal } from "../vocabulary/principal.ts";
import type { Taint } from "../vocabulary/taint.ts";
import type { GrantScope, Tool, ToolContext } from "../vocabulary/tool.ts";
import { type AddedRule, addRule, type NewRule } from "./add-rule.ts";
import { byItself } from "./audit/audit.ts";
import { findScopes, findTrust, isTrustValid } from "./grants/session-trust.ts";
import type { Places } from "./places.ts";
import type { TrustOptions } from "./shared/trust-options.ts";
import { policyStateTexts } from "./texts.ts";

/** Circumstances of a tool call to test. Default: a new session of the operator in the first root. */
export interface PolicyPlace {
	readonly sessionId?: string;
	readonly agent?: string;
	readonly place?: string;
}

/** A tool call to judge without running it. */
export interface PolicyQuestion extends PolicyPlace {
	readonly tool: string;
	readonly arguments: unknown;
}

/** Decision about a tested call with its reasons. */
export interface PolicyAnswer {
	readonly effect: "allow" | "ask" | "deny";
	readonly floor: boolean;
	readonly reason: string;
	readonly classes: readonly string[];
	readonly rules: readonly DescribedRule[];
	readonly sandbox: string;
	readonly policyVersion: string;
}

/** Agent, working directory and channel for which the rules are requested. */
export interface RulesFor {
	readonly profile: string;
	readonly rootDir: string;
	readonly place: string | undefined;
	/** Agent that delegates to the agent `profile`. The rules of the delegating agent also apply. */
	readonly above?: string;
}

/** Provides the rules that the operator, agents, channels and workspaces add to the built-in rules. */
export class Policies {
	readonly #options: TrustOptions;
	readonly #places: Places;
	readonly #layers: PolicyLayers | undefined;
	readonly #listeners = new Set<() => void>();

	constructor(options: TrustOptions, places: Places) {
		this.#options = options;
		this.#places = places;
		const { policy, tools } = options;
		this.#layers = policy && new PolicyLayers({ ...policy, tools, onRead: (change) => this.#report(change) });
	}

	/** Reads the operator's file. Throws `failed_precondition`, with line and reason, for an unusable file. */
	async load(): Promise<void> {
		const { problem } = this;
		if (problem === undefined) return;
		throw new ParleyError(policyStateTexts.unusable(problem), { code: "failed_precondition" });
	}

	/**
	 * Returns the reason why the operator's current file cannot be used, or undefined. While there is a reason,
	 * every call is denied.
	 */
	get problem(): string | undefined {
		return this.#layers?.operator.problem;
	}

	/** Returns the version of those rules that apply to all sessions. */
	get version(): string {
		return (this.#layers?.everywhere() ?? builtInPolicy).version;
	}

	/** Returns the rules that apply to a session. */
	of({ profile, rootDir, place, above }: RulesFor): PolicyInForce {
		const channelTools = this.#places.profileOf(place).tools;
		return this.#layers?.of({ profile, rootDir, channelTools, ...defined({ above }) }) ?? builtInPolicy;
	}

	/** Calls the listener after each read of a changed policy file. Returns a function that removes the listener. */
	onChange(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Decides about a tool call without running it. The decision is not recorded. */
	async test(principal: Principal, question: PolicyQuestion): Promise<PolicyAnswer> {
		authorize(principal, "policy.read");
		return judgeQuestion(question, { ...this.#options, policies: this, places: this.#places });
	}

	/** Returns the rules for the circumstances in `place`, in the order of their layers. The ignored rules are last. */
	async list(principal: Principal, place: PolicyPlace): Promise<PolicyListing> {
		authorize(principal, "policy.read");
		return listRules(place, { ...this.#options, policies: this, places: this.#places });
	}

	/** Whether this process can change the operator's file. */
	get canAddRules(): boolean {
		return this.#options.policy?.change !== undefined;
	}

	/** Adds a rule to the operator's file, unless the file already contains the rule. */
	async addRule(principal: Principal, rule: NewRule): Promise<AddedRule> {
		authorize(principal, "policy.extend");
		const added = await addRule(principal, rule, this.#options);
		// Reading the file activates the rule and records it.
		this.#layers?.everywhere();
		return added;
	}

	#report({ layer, path, state, before }: PolicyChange): void {
		const { log, audit } = this.#options;
		// `load` reports the operator's file at the start of the program.
		const isStart = before === undefined && layer === "operator";
		if (state.problem !== undefined && !isStart) {
			log.error(policyStateTexts.invalid, { layer, reason: state.problem });
		}
		if (state.problem === undefined && before?.problem !== undefined)
			log.info(policyStateTexts.validAgain, { layer, path });
		for (const { source } of state.ignored) log.warn(policyStateTexts.allowIgnored, { source });
		// At the first read, a missing or invalid file adds no audit row.
		if (before === undefined && (state.digest === "" || state.problem !== undefined)) return;
		const action = before === undefined ? "policy.load" : "policy.change";
		const decision = state.problem === undefined ? "loaded" : "broken";
		const facts = { digest: state.digest, rules: state.rules.length, layer };
		audit
			.note({ ...byItself, action, object: path, decision, args: facts })
			.catch((error: unknown) => log.error(policyStateTexts.notAudited, { path, error }));
		if (before !== undefined) for (const listener of this.#listeners) listener();
	}
}

/** Facts that rules use, about an existing or a hypothetical session. */
export interface PolicyScene {
	readonly profile: string;
	readonly rootDir: string;
	readonly place: string | undefined;
	readonly tools: readonly Tool[];
	readonly acceptAll: boolean;
	readonly grants: readonly GrantScope[];
	readonly taint: Taint;
}

type SceneOptions = TrustOptions & { readonly places: Places };

/**
 * Returns the facts that rules use about a session. If `sessionId` is undefined, the session is hypothetical,
 * in the channel or in the first root. Throws `not_found` for an unknown session, and `invalid_argument` for
 * an unusable agent.
 */
async function findScene(
	{ sessionId, agent, place }: PolicyPlace,
	options: SceneOptions,
): Promise<PolicyScene> {
	const { roots, profiles = noProfiles } = options;
	const session = sessionId === undefined ? undefined : await findSession(sessionId, options);
	const profile = await profiles.find(agent ?? session?.profile ?? "default");
	const tools = options.tools.filter(({ name }) => profile.tools?.includes(name) ?? true);
	// A channel without a directory gets a directory with its first session. Until then, the first root is
	// used.
	const channel = place === undefined ? undefined : options.places.profileOf(place).root;
	const rootDir = channel ?? (await chooseRoot(undefined, roots));
	const known = session ?? { rootDir, acceptAll: false, grants: [], taint: "" };
	return {
		...known,
		profile: profile.name,
		tools,
		place: place ?? session?.place,
	};
}

async function findSession(id: string, { store, clock }: SceneOptions): Promise<Omit<PolicyScene, "tools">> {
	return store.read(async (db) => {
		const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
		if (!row) throw unknownSession(id);
		const absentSince = row.left_at === null ? undefined : Number(row.left_at);
		return {
			profile: row.profile,
			rootDir: row.root_dir,
			place: row.place ?? undefined,
			acceptAll: isTrustValid(await findTrust(db, id), clock.now(), absentSince),
			grants: await findScopes(db, id),
			taint: await findTaint(db, id),
		};
	});
}

/** A built-in rule, or a rule in the form in which a file contains it. */
export interface ListedRule {
	readonly layer: Layer;
	readonly source?: string;
	readonly effect: Effect;
	readonly reason: string;
	/** Whether the rule requires approval despite any grant. */
	readonly floor: boolean;
	/** Whether the rule has no effect because the layer of the rule may not contain such a rule. */
	readonly ignored: boolean;
	readonly tools?: readonly string[];
	readonly classes?: readonly string[];
	readonly commands?: readonly (readonly string[])[];
	readonly paths?: readonly string[];
	readonly hosts?: readonly string[];
}

/** Policy rules for a session, including ignored rules. */
export interface PolicyListing {
	readonly policyVersion: string;
	/** Reason why a layer cannot be read. While there is a reason, every call is denied. */
	readonly problem?: string;
	readonly rules: readonly ListedRule[];
}

async function listRules(place: PolicyPlace, options: JudgeOptions): Promise<PolicyListing> {
	const { version, rules, ignored, problem } = options.policies.of(await findScene(place, options));
	return {
		policyVersion: version,
		...defined({ problem: problem?.reason }),
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
	return { ...rule, ...defined({ paths: paths?.map(({ text }) => text) }), floor: false, ignored };
}

type JudgeOptions = SceneOptions & { readonly policies: Policies };

async function judgeQuestion(question: PolicyQuestion, options: JudgeOptions): Promise<PolicyAnswer> {
	const scene = await findScene(question, options);
	const context = await contextOf(scene, options);
	const policy = options.policies.of(scene);
	const facts = { sandbox: context.sandbox.mode, policyVersion: policy.version };
	const call = { name: question.tool, arguments: question.arguments };
	const prepared = await prepareCall(scene.tools, call, context);
	if (prepared.kind === "refused") {
		return { ...facts, effect: "deny", floor: false, reason: prepared.text, classes: [], rules: [] };
	}
	const { acceptAll, taint, place } = scene;
	const grants = grantsUnder(policy, scene.grants);
	const permissions = { acceptAll, taint, grants, policy, fromChat: place !== undefined };
	return { ...facts, ...decide({ ...prepared, context }, permissions), classes: prepared.plan.classes };
}

async function contextOf(
	scene: PolicyScene,
	{ roots: given, sandbox, log, policy, clock }: JudgeOptions,
): Promise<ToolContext> {
	const roots = toolRoots(scene, given.given);
	const refuse = (): never => {
		throw new ParleyError(policyStateTexts.onlyJudged, {
			code: "internal",
		});
	};
	return {
		sessionId: "policy",
		callId: "policy",
		cwd: scene.rootDir,
		forbidden: definedItems([given.dataDir, policy?.file]),
		roots,
		sandbox: await sandbox.of({ chat: scene.place !== undefined, roots }),
		log,
		clock,
		signal: new AbortController().signal,
		workspace: undefined,
		progress: () => undefined,
		ask: refuse,
		redact: refuse,
		reply: refuse,
		openOutput: refuse,
		share: refuse,
		todo: refuse,
		workflow: refuse,
		delegation: { check: () => Promise.resolve({ leavesProvider: false }), run: refuse },
		background: { check: () => undefined, start: refuse, output: refuse, stop: refuse },
		changes: { begin: refuse, end: refuse },
		memories: {
			inChat: scene.place !== undefined,
			check: checkMemory,
			store: refuse,
			find: refuse,
			deletable: refuse,
			forget: refuse,
		},
		schedules: {
			check: async () => undefined,
			create: refuse,
			list: refuse,
			removable: refuse,
			remove: refuse,
		},
		skill: refuse,
	};
}

import { defined, ParleyError } from "@parley/base";
import { type ModelInfo, ModelTable, unknownOutput, unknownWindow } from "../../models/table/model-table.ts";
import {
	noProfiles,
	type Profile,
	type ProfileEndpoint,
	type Profiles,
} from "../../policy/profiles/profile.ts";
import { describeTools } from "../../tools/calls/normalise-call.ts";
import { undoChanges } from "../../tools/files/undo-changes.ts";
import { skill } from "../../tools/skill.ts";
import { includesTool, isMcpToolName } from "../../vocabulary/mcp/server.ts";
import type { Model, Reasoning, Sampling, ToolDescription } from "../../vocabulary/model.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import type { Tool } from "../../vocabulary/tool.ts";
import type { OfferedTools } from "../client-tools/client-tools.ts";
import { runTexts } from "./texts.ts";

/** Agent, model and tools of a run. They are chosen when the run starts to work, and again after a restart. */
export interface RunSettings extends PromptAgent {
	readonly model: Model;
	/** Real names of the model and its fallbacks, in this order. Tiers are already resolved. */
	readonly names: readonly [string, ...string[]];
	/** Table entry of the first model; undefined if the table does not list it. */
	readonly info: ModelInfo | undefined;
	readonly sampling: Sampling;
	readonly reasoning: Reasoning | undefined;
	readonly tools: readonly Tool[];
	readonly descriptions: readonly ToolDescription[];
	/** Maximum tokens of input and output together, if the profile or the options set a limit. */
	readonly contextWindow: number | undefined;
	/**
	 * Guidance of clients about their tools, or "" if no client gives guidance. The guidance follows the system prompt.
	 */
	readonly clientContext: string;
}

export interface PromptAgent {
	readonly agent: string;
	/** Instructions that replace the built-in instructions, if any. */
	readonly instructions: string | undefined;
}

interface KnownModels {
	readonly model: Model;
	readonly table: ModelTable;
	/** Whether sessions may choose models that the table does not list. */
	readonly anyModel: boolean;
	readonly adviceAbout?: ((name: string) => string | undefined) | undefined;
}

export interface ModelChoice extends KnownModels {
	/** Name or tier of a model. Default: the provider's default model. */
	readonly modelName: string | undefined;
	/** Names or tiers of models that replace an unavailable model. */
	readonly fallback: readonly string[];
	readonly reasoning: Reasoning | undefined;
	readonly profiles: Profiles;
	/** Returns the models of the server that a profile names. */
	readonly modelAt: (endpoint: ProfileEndpoint) => Model;
	readonly tools: readonly Tool[];
}

interface Chosen {
	readonly profile: string;
	readonly model: string | undefined;
}

export interface ToolChoice {
	/** Names of the tools that the channel allows. Absent: the channel allows all tools. */
	readonly only?: readonly string[] | undefined;
	/** Names of the tools that the submitter allowed for the task. Absent: the submitter allowed all tools. */
	readonly ofTask?: readonly string[];
	/** Additional tools for the run of a task. */
	readonly added?: readonly Tool[];
	/** Whether there is a skill that a model may start. If false, the tool `skill` is omitted. */
	readonly skills?: boolean;
	/** Tools of MCP servers. Their names differ from the names of the built-in tools. */
	readonly mcp?: readonly Tool[];
	/** Tools of clients. They hide other tools of the same name. */
	readonly offered?: OfferedTools | undefined;
}

/**
 * Combines the options of a run, the profile, the available tools and the operator's settings. The session's profile
 * and model are the defaults. Throws an error with a message for people if the agent, its server or its tools cannot
 * be used.
 */
export async function chooseSettings(
	session: Chosen,
	choice: ModelChoice,
	{ only, ofTask, added = [], skills = false, mcp = none, offered }: ToolChoice = {},
	options: RunOptions = {},
): Promise<RunSettings> {
	const { agent = session.profile } = options;
	const profile = await choice.profiles.find(agent);
	const model = profile.endpoint ? choice.modelAt(profile.endpoint) : choice.model;
	// The session's model applies only to the session's own agent.
	const { model: requested = agent === session.profile ? session.model : undefined } = options;
	const names = namesOf(requested, profile, { ...choice, model });
	const info = choice.table[finderOf(profile)](names[0], model.provider);
	const chosenTools = toolsOf(profile, withMcp(choice.tools, mcp));
	const usable = skills ? chosenTools : withoutSkills(chosenTools);
	const allowed = ({ name }: Tool): boolean =>
		(!only || includesTool(only, name)) && (!ofTask || includesTool(ofTask, name));
	const own =
		only || ofTask ? [...usable.filter(allowed).filter((tool) => !added.includes(tool)), ...added] : usable;
	const all = offered ? withOffered(own, offered.tools) : own;
	const isRequested = ({ name }: { readonly name: string }): boolean =>
		!options.tools || includesTool(options.tools, name);
	const requestedTools = options.tools ? all.filter(isRequested) : all;
	// Models get no description of `undo_changes`.
	const tools = options.undo ? [...requestedTools, undoChanges] : requestedTools;
	const descriptions = options.tools ? describe(all).filter(isRequested) : describe(all);
	// Guidance about tools that the run does not have is useless.
	const guidance = (offered?.guidance ?? []).filter((one) => one.tools.some((name) => isRequested({ name })));
	const reasoning = options.reasoning ?? profile.reasoning ?? choice.reasoning;
	return {
		agent,
		model,
		names,
		info,
		reasoning,
		tools,
		instructions: profile.instructions,
		sampling: profile.sampling,
		descriptions,
		contextWindow: smaller(profile.contextWindow, options.contextTokens),
		clientContext: guidance.map(({ text }) => text).join("\n\n"),
	};
}

function smaller(one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY): number | undefined {
	const least = Math.min(one, other);
	return least === Number.POSITIVE_INFINITY ? undefined : least;
}

interface ModelLimits {
	readonly contextWindow: number;
	readonly maxOutput: number;
	/** Tokens above which older parts are compacted. See `ModelInfo`. */
	readonly compactAbove?: number;
}

/**
 * Returns the token limits of one model: for a request together with its reply, for one reply, and for the compaction
 * of older parts.
 */
export function modelLimits(
	{ model, contextWindow, sampling }: RunSettings,
	name: string,
	table: ModelTable,
): ModelLimits {
	const info = table.find(name, model.provider);
	const window = info?.contextWindow ?? model.windowOf?.(name);
	return {
		contextWindow: Math.min(
			contextWindow ?? Number.POSITIVE_INFINITY,
			window ?? contextWindow ?? unknownWindow,
		),
		maxOutput: Math.min(
			sampling.maxTokens ?? Number.POSITIVE_INFINITY,
			info?.maxOutput ?? sampling.maxTokens ?? unknownOutput,
		),
		...defined({ compactAbove: info?.compactAbove }),
	};
}

function namesOf(
	requested: string | undefined,
	profile: Profile,
	choice: ModelChoice,
): [string, ...string[]] {
	const { model, table, modelName, fallback } = choice;
	const real = (name: string): string => table[finderOf(profile)](name, model.provider)?.id ?? name;
	const first = requested ?? profile.model ?? (profile.endpoint ? undefined : modelName);
	const name = real(first ?? model.defaultModel);
	// A profile's own server does not have the gateway's fallbacks.
	const others = profile.endpoint ? [] : fallback.map(real).filter((other) => other !== name);
	return [name, ...new Set(others)];
}

function finderOf({ endpoint }: Pick<Profile, "endpoint">): "find" | "findOwn" {
	// The server of a profile has no models of other providers.
	return endpoint ? "findOwn" : "find";
}

const chosen = new WeakMap<readonly Tool[], Map<string, readonly Tool[]>>();

/** Maximum cached choices for one array of tools. */
const maxChoices = 100;

/**
 * Returns the tools of a profile. Caches the arrays, so that later functions can cache derived values by array.
 */
function toolsOf(profile: Profile, tools: readonly Tool[]): readonly Tool[] {
	if (!profile.tools) return tools;
	const key = JSON.stringify(profile.tools);
	const known = chosen.get(tools) ?? new Map<string, readonly Tool[]>();
	const same = known.get(key);
	if (same) return same;
	const found = chooseTools(profile.name, profile.tools, tools);
	if (known.size >= maxChoices) known.clear();
	chosen.set(tools, known.set(key, found));
	return found;
}

function chooseTools(agent: string, requested: readonly string[], tools: readonly Tool[]): readonly Tool[] {
	// Tools of MCP servers are not checked, because a server may be unavailable at this time.
	const unknown = requested.filter((one) => !isMcpToolName(one) && !tools.some((tool) => tool.name === one));
	if (unknown.length === 0) return tools.filter((tool) => includesTool(requested, tool.name));
	const known = tools.map((tool) => tool.name).join(", ");
	throw new ParleyError(runTexts.unknownTools(agent, unknown, known), {
		code: "invalid_argument",
	});
}

const none: readonly Tool[] = [];

/** Adds the tools of MCP servers. Returns the same array object for the same arguments. */
function withMcp(own: readonly Tool[], mcp: readonly Tool[]): readonly Tool[] {
	return mcp.length === 0 ? own : withOffered(own, mcp);
}

const bare = new WeakMap<readonly Tool[], readonly Tool[]>();

/** Removes the tool `skill`. Returns the same array object for the same argument. */
function withoutSkills(tools: readonly Tool[]): readonly Tool[] {
	if (!tools.includes(skill)) return tools;
	const known = bare.get(tools) ?? tools.filter((tool) => tool !== skill);
	bare.set(tools, known);
	return known;
}

const joined = new WeakMap<
	readonly Tool[],
	{ readonly own: readonly Tool[]; readonly all: readonly Tool[] }
>();

/**
 * Joins own and offered tools. Offered tools hide own tools of the same name. Returns the same array object for the
 * same arguments.
 */
function withOffered(own: readonly Tool[], offered: readonly Tool[]): readonly Tool[] {
	const known = joined.get(offered);
	if (known?.own === own) return known.all;
	const names = new Set(offered.map(({ name }) => name));
	const all = [...own.filter(({ name }) => !names.has(name)), ...offered];
	joined.set(offered, { own, all });
	return all;
}

const described = new WeakMap<readonly Tool[], readonly ToolDescription[]>();

/**
 * Returns the descriptions of tools. Returns the same array object for the same argument, so that derived values are
 * computed once.
 */
function describe(tools: readonly Tool[]): readonly ToolDescription[] {
	const known = described.get(tools);
	if (known) return known;
	const descriptions = describeTools(tools);
	described.set(tools, descriptions);
	return descriptions;
}

/**
 * Returns the real name of a chosen model. Throws `invalid_argument` if the model is not allowed. The message
 * contains advice if there is any, otherwise similar or available names.
 */
export function resolveModel(
	requested: string,
	{ model, table, anyModel, adviceAbout }: KnownModels,
): string {
	const known = table.find(requested, model.provider);
	if (known) return known.id;
	if (anyModel || requested === model.defaultModel || table.admits(requested)) return requested;
	const near = table.near(requested, model.provider);
	const names = table.list(model.provider).map(({ id }) => id);
	const choices = near.length > 0 ? runTexts.didYouMean(near) : runTexts.availableModels(names);
	const advice = adviceAbout?.(requested);
	const rest = advice === undefined ? choices : `: ${advice}`;
	throw new ParleyError(runTexts.noModel(requested.slice(0, 100), rest), {
		code: "invalid_argument",
	});
}

export interface ModelOptions {
	readonly model: Model;
	/** The provider's name of the model, or a tier. Default: the provider's default model. */
	readonly modelName?: string;
	/** Names or tiers of models that replace an unavailable model, in order of preference. */
	readonly fallback?: readonly string[];
	readonly reasoning?: Reasoning;
	/** Known models. Default: an empty table. */
	readonly table?: ModelTable;
	/** Whether sessions may choose models that the table does not list. */
	readonly anyModel?: boolean;
	/** Returns advice for an operator who wants to provide the model `name`. Returns undefined if there is no advice. */
	readonly adviceAbout?: (name: string) => string | undefined;
	/** Profiles of agents. Default: only the built-in profile. */
	readonly profiles?: Profiles;
	/** Returns the models of the server that a profile names. If absent, profiles that name a server cannot be used. */
	readonly modelAt?: (endpoint: ProfileEndpoint) => Model;
	readonly tools: readonly Tool[];
}

export function modelChoiceOf(options: ModelOptions): ModelChoice {
	const { model, modelName, fallback = [], reasoning, table = new ModelTable(), tools } = options;
	const { profiles = noProfiles, anyModel = false } = options;
	const modelAt = options.modelAt ?? refuseEndpoint;
	const { adviceAbout } = options;
	return { model, modelName, fallback, reasoning, table, profiles, modelAt, tools, anyModel, adviceAbout };
}

function refuseEndpoint({ url }: ProfileEndpoint): never {
	throw new ParleyError(runTexts.otherServer(url), {
		code: "failed_precondition",
	});
}

export interface ResolvedModel {
	/** Real name for the session's row. Undefined: the profile and the gateway decide. */
	readonly chosen: string | undefined;
	/** Real name of the model that answers. */
	readonly model: string;
}

/** Resolves a name, a tier or `default` for a session. Throws as `realName` and `chooseSettings` do. */
export async function resolveChoice(
	{ profile }: { readonly profile: string },
	requested: string,
	choice: ModelChoice,
): Promise<ResolvedModel> {
	const chosen = requested === "default" ? undefined : await realName(profile, requested, choice);
	return { chosen, model: (await chooseSettings({ profile, model: chosen }, choice)).names[0] };
}

/**
 * Returns the real name of a model on the server of an agent profile. If the profile names its own server, every name
 * is accepted. Otherwise, throws `invalid_argument` for a name that `resolveModel` refuses.
 */
export async function realName(profile: string, requested: string, choice: ModelChoice): Promise<string> {
	const { endpoint } = await choice.profiles.find(profile);
	if (!endpoint) return resolveModel(requested, choice);
	return choice.table.findOwn(requested, choice.modelAt(endpoint).provider)?.id ?? requested;
}

import type { BetaThinkingBlockBinding } from "@anthropic-ai/sdk/resources/beta/messages";
import type {
	CacheControlEphemeral,
	MessageCountTokensParams,
	MessageCreateParamsStreaming,
	OutputConfig,
	TextBlockParam,
	ThinkingConfigParam,
	Tool,
	ToolChoiceNone,
} from "@anthropic-ai/sdk/resources/messages";
import { defined } from "@parley/base";
import type { ModelRequest, Reasoning, Sampling, ToolDescription } from "../../vocabulary/model.ts";
import type { ModelInfo } from "../table/model-table.ts";
import { type AnthropicTurn, cacheMarks, encodeTurns, type Lifetime, markTurns } from "./turns.ts";

/** Fields that older models and other servers accept, but that the SDK's types omit. */
interface SamplingFields {
	temperature?: number;
	top_p?: number;
	top_k?: number;
	repeat_penalty?: number;
}

/** The part of a request that is also sent to count tokens. */
type Input = MessageCountTokensParams & Prompt & Thinking;

/** Body of a request to the Messages API, and the omitted sampling settings. */
export interface EncodedRequest {
	readonly body: MessageCreateParamsStreaming & SamplingFields & Input;
	readonly dropped: readonly (keyof Sampling)[];
}

/** Default maximum tokens of a reply from a known model. */
const DEFAULT_OUTPUT = 32_000;
/** Default maximum tokens of a reply from an unknown model. Many small local models have this limit. */
const DEFAULT_OUTPUT_UNKNOWN = 8192;

/** Converts a request to the Messages API. Equal requests have equal bytes. */
export function encodeRequest(request: ModelRequest, { info, custom }: Destination): EncodedRequest {
	const { sampling = {} } = request;
	const input = encodeInput(request, { info, custom });
	const thinks = input.thinking !== undefined && input.thinking.type !== "disabled";
	// Anthropic's models accept either temperature or top-p, but not both:
	// https://platform.claude.com/docs/en/about-claude/models/migration-guide
	const both = sampling.temperature !== undefined && !custom;
	const accepted = acceptedSampling({ sampled: info?.sampling ?? custom, custom, thinks }).filter(
		(key) => key !== "topP" || !both,
	);
	const dropped = samplingKeys.filter((key) => sampling[key] !== undefined && !accepted.includes(key));
	const fields = Object.fromEntries(
		accepted.flatMap((key) => (sampling[key] === undefined ? [] : [[wireNames[key], sampling[key]]])),
	);
	return { body: { ...input, max_tokens: maxTokensOf(request, info), ...fields, stream: true }, dropped };
}

/** Encodes the part of a request that is also sent to count tokens: the input and the thinking settings. */
export function encodeInput(request: ModelRequest, destination: Destination): Input {
	const { info } = destination;
	const prompt = encodePrompt(request, destination);
	const maxTokens = maxTokensOf(request, info);
	return {
		model: request.model,
		...prompt,
		...thinkingOf(request, destination, { turns: prompt.messages, maxTokens }),
	};
}

/** Returns the additional headers that a request needs. */
export function headersOf({ thinking }: Input): Readonly<Record<string, string>> {
	return thinking && "block_binding" in thinking ? bindingHeaders : {};
}

function maxTokensOf({ sampling }: ModelRequest, info: ModelInfo | undefined): number {
	const requested = sampling?.maxTokens ?? (info ? DEFAULT_OUTPUT : DEFAULT_OUTPUT_UNKNOWN);
	return Math.max(1, Math.min(requested, info?.maxOutput ?? requested));
}

const wireNames = {
	temperature: "temperature",
	topP: "top_p",
	topK: "top_k",
	repeatPenalty: "repeat_penalty",
} as const satisfies Partial<Record<keyof Sampling, keyof SamplingFields>>;

type SamplingKey = keyof typeof wireNames;

const samplingKeys: readonly SamplingKey[] = ["temperature", "topP", "topK", "repeatPenalty"];

function acceptedSampling(on: {
	sampled: boolean;
	custom: boolean;
	thinks: boolean;
}): readonly SamplingKey[] {
	// Thinking and sampling exclude each other: https://platform.claude.com/docs/en/build-with-claude/extended-thinking
	if (!on.sampled || on.thinks) return [];
	return samplingKeys.filter((key) => key !== "repeatPenalty" || on.custom);
}

interface OfferedTools {
	readonly tools?: Tool[];
	readonly tool_choice?: ToolChoiceNone;
}

interface Prompt extends OfferedTools {
	readonly system?: TextBlockParam[];
	readonly messages: AnthropicTurn[];
}

/**
 * Encodes the tools, the system prompt and the messages. Cache marks follow the offered tools, the system prompt and
 * the last two user turns.
 */
function encodePrompt(request: ModelRequest, { info, custom }: Destination): Prompt {
	const { model, system, messages, tools, awaitsPeople } = request;
	// A server other than Anthropic's may refuse a lifetime. Anthropic requires longer lifetimes before shorter
	// lifetimes, so all marks have the same lifetime.
	const lifetime = awaitsPeople && !custom ? "hour" : "minutes";
	const turns = encodeTurns(messages, { model, images: info?.images ?? true });
	markTurns(turns, lifetime);
	const offered = tools.length > 0 ? { tools: encodeTools(tools, lifetime) } : encodeUsedTools(turns);
	return {
		...offered,
		...defined({ system: system.trim() !== "" ? encodeSystem(system, lifetime) : undefined }),
		messages: turns,
	};
}

let lastSystem:
	| { readonly text: string; readonly lifetime: Lifetime; readonly blocks: TextBlockParam[] }
	| undefined;

function encodeSystem(text: string, lifetime: Lifetime): TextBlockParam[] {
	if (lastSystem?.text !== text || lastSystem.lifetime !== lifetime) {
		const cache_control = cacheMarks[lifetime];
		lastSystem = { text, lifetime, blocks: [{ type: "text", text: text.toWellFormed(), cache_control }] };
	}
	return lastSystem.blocks;
}

const encodedTools = {
	minutes: new WeakMap<readonly ToolDescription[], Tool[]>(),
	hour: new WeakMap<readonly ToolDescription[], Tool[]>(),
};

function encodeTools(tools: readonly ToolDescription[], lifetime: Lifetime): Tool[] {
	const known = encodedTools[lifetime].get(tools);
	if (known) return known;
	const encoded = tools.map((tool, index) =>
		encodeTool(tool, index === tools.length - 1 ? cacheMarks[lifetime] : undefined),
	);
	encodedTools[lifetime].set(tools, encoded);
	return encoded;
}

function encodeTool(
	{ name, description, parameters }: ToolDescription,
	mark: CacheControlEphemeral | undefined,
): Tool {
	return {
		name,
		description,
		// The cast is safe because the port requires an object as the parameters of a tool.
		input_schema: parameters as Tool["input_schema"],
		...defined({ cache_control: mark }),
	};
}

/** Returns a placeholder for each called tool, because the provider rejects a conversation with calls but no tools. */
function encodeUsedTools(turns: readonly AnthropicTurn[]): OfferedTools {
	const names = turns.flatMap(({ content }) =>
		content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])),
	);
	const tools = [...new Set(names)].map((name): Tool => ({ name, input_schema: { type: "object" } }));
	return tools.length > 0 ? { tools, tool_choice: { type: "none" } } : {};
}

/** Thinking settings of a request. For an absent field, the model's default applies. */
interface Thinking {
	readonly thinking?: ThinkingConfigParam & { readonly block_binding?: BetaThinkingBlockBinding };
	readonly output_config?: OutputConfig;
}

/** Minimum tokens of a thinking budget: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const MIN_BUDGET = 1024;

/**
 * Tokens that are reserved for the text and the calls of a reply. If half of the reply's tokens is less, half is
 * reserved.
 */
const FOR_THE_ANSWER = 4096;

const budgets: Readonly<Record<Exclude<Reasoning, "off">, number>> = {
	low: 4096,
	medium: 10_240,
	high: 24_576,
	xhigh: 49_152,
	max: Number.POSITIVE_INFINITY,
};

/** Pattern of models with efforts but without an effort between `high` and `max`. */
const WITHOUT_XHIGH = /^claude-(opus|sonnet)-4-6\b/;

/**
 * Pattern of the models that reject their own earlier thinking if the content before the thinking has changed, for
 * example by a compaction. With `block_binding`, the models discard that thinking instead:
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
const BOUND = /^claude-((fable|mythos)-5-[1-9]|(haiku|sonnet|opus)-5-[5-9])\b/;

/** Header that a request with `block_binding` requires. */
const bindingHeaders = { "anthropic-beta": "thinking-binding-controls-2026-08-01" } as const;

interface ThinkingRequest {
	readonly model: string;
	readonly reasoning?: Reasoning;
	readonly sampling?: Sampling;
}

/**
 * Returns the thinking settings of a request. If no level is requested, a model with a thinking budget does not think.
 */
export function thinkingOf(
	request: ThinkingRequest,
	destination: Destination,
	{ turns, maxTokens }: { readonly turns: readonly AnthropicTurn[]; readonly maxTokens: number },
): Thinking {
	const { reasoning, sampling } = request;
	const { info } = destination;
	// Thinking and sampling exclude each other. An explicit sampling setting overrides the default thinking.
	if (reasoning === undefined && info?.sampling && isSampled(sampling)) return {};
	switch (info?.reasoning) {
		case "budget":
			return budgeted(reasoning, turns, maxTokens);
		case "adaptive":
			if (reasoning === "off") return { thinking: { type: "disabled" } };
			return adaptive(request.model, reasoning, destination);
		case "between_tools":
			if (reasoning === "off") return { thinking: { type: "between_tools" } };
			return adaptive(request.model, reasoning, destination);
		case "always":
			return adaptive(request.model, reasoning === "off" ? "low" : reasoning, destination);
		default:
			return {};
	}
}

function isSampled({ temperature, topP, topK }: Sampling = {}): boolean {
	return temperature !== undefined || topP !== undefined || topK !== undefined;
}

function adaptive(
	model: string,
	effort: Exclude<Reasoning, "off"> | undefined,
	{ custom }: Destination,
): Thinking {
	const forgetful = !custom && BOUND.test(model);
	const thinking: Thinking["thinking"] = {
		type: "adaptive",
		// Without `display`, newer models return empty thinking.
		display: "summarized",
		...defined({
			block_binding: forgetful ? ({ prefix_mismatch_behavior: "drop_block" } as const) : undefined,
		}),
	};
	if (effort === undefined) return { thinking };
	const known = effort === "xhigh" && WITHOUT_XHIGH.test(model) ? "high" : effort;
	return { thinking, output_config: { effort: known } };
}

function budgeted(
	reasoning: Reasoning | undefined,
	turns: readonly AnthropicTurn[],
	maxTokens: number,
): Thinking {
	if (reasoning === undefined || reasoning === "off") return {};
	const room = maxTokens - Math.min(FOR_THE_ANSWER, Math.floor(maxTokens / 2));
	const budget = Math.min(budgets[reasoning], room);
	if (budget < MIN_BUDGET || startsWithoutThinking(turns)) return {};
	return { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * Whether the reply to the last question starts without thinking, for example because another model wrote the reply. If
 * so, the provider refuses thinking.
 */
function startsWithoutThinking(turns: readonly AnthropicTurn[]): boolean {
	const question = turns.findLastIndex(
		({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
	);
	const firstBlock = turns[question + 1]?.content[0]?.type;
	return firstBlock !== undefined && firstBlock !== "thinking" && firstBlock !== "redacted_thinking";
}

export interface Destination {
	/** Facts from the model table. Undefined for an unknown model. */
	readonly info: ModelInfo | undefined;
	/** Whether the server is not Anthropic's own. */
	readonly custom: boolean;
}

import type {
	MessageCountTokensParams,
	MessageCreateParamsStreaming,
	TextBlockParam,
	Tool,
	ToolChoiceNone,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelRequest, Sampling, ToolDescription } from "../../vocabulary/model.ts";
import type { ModelInfo } from "../table/model-info.ts";
import type { Destination } from "./destination.ts";
import { bindingHeaders, type Thinking, thinkingOf } from "./thinking.ts";
import { encodeTurns, ephemeral, markTurns, type Turn } from "./turns.ts";

/** Fields that older models and other servers take, but the types of the SDK no longer have. */
interface SamplingFields {
	temperature?: number;
	top_p?: number;
	top_k?: number;
	repeat_penalty?: number;
}

/** What a model reads: all that is counted of a request. */
type Input = MessageCountTokensParams & Prompt & Thinking;

/** A request for the wire, and the settings that it had to leave out. */
export interface EncodedRequest {
	readonly body: MessageCreateParamsStreaming & SamplingFields & Input;
	readonly dropped: readonly (keyof Sampling)[];
}

/** Tokens of a reply where nobody chose: much for an answer, and little enough to end. */
const DEFAULT_OUTPUT = 32_000;
/** Small models at home often have no more room. */
const DEFAULT_OUTPUT_UNKNOWN = 8192;

/** Puts a request into the words of the Messages API. The same request gives the same bytes. */
export function encodeRequest(request: ModelRequest, { info, custom }: Destination): EncodedRequest {
	const { sampling = {} } = request;
	const input = encodeInput(request, { info, custom });
	const thinks = input.thinking !== undefined && input.thinking.type !== "disabled";
	// The provider's own models take one of the two: https://platform.claude.com/docs/en/about-claude/models/migration-guide
	const both = sampling.temperature !== undefined && !custom;
	const taken = samplingTaken({ sampled: info?.sampling ?? custom, custom, thinks }).filter(
		(key) => key !== "topP" || !both,
	);
	const dropped = samplingKeys.filter((key) => sampling[key] !== undefined && !taken.includes(key));
	const fields = Object.fromEntries(
		taken.flatMap((key) => (sampling[key] === undefined ? [] : [[wireNames[key], sampling[key]]])),
	);
	return { body: { ...input, max_tokens: maxTokensOf(request, info), ...fields, stream: true }, dropped };
}

/** The part of a request that is counted: what is read, and how it is to be thought about. */
export function encodeInput(request: ModelRequest, destination: Destination): Input {
	const { info } = destination;
	const prompt = encodePrompt(request, info);
	const maxTokens = maxTokensOf(request, info);
	return {
		model: request.model,
		...prompt,
		...thinkingOf(request, destination, { turns: prompt.messages, maxTokens }),
	};
}

/** The headers that a request needs besides the usual ones. */
export function headersOf({ thinking }: Input): Readonly<Record<string, string>> {
	return thinking && "block_binding" in thinking ? bindingHeaders : {};
}

function maxTokensOf({ sampling }: ModelRequest, info: ModelInfo | undefined): number {
	const wanted = sampling?.maxTokens ?? (info ? DEFAULT_OUTPUT : DEFAULT_OUTPUT_UNKNOWN);
	return Math.max(1, Math.min(wanted, info?.maxOutput ?? wanted));
}

const wireNames = {
	temperature: "temperature",
	topP: "top_p",
	topK: "top_k",
	repeatPenalty: "repeat_penalty",
} as const satisfies Partial<Record<keyof Sampling, keyof SamplingFields>>;

type SamplingKey = keyof typeof wireNames;

const samplingKeys: readonly SamplingKey[] = ["temperature", "topP", "topK", "repeatPenalty"];

/** Thinking and sampling exclude each other: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
function samplingTaken(on: { sampled: boolean; custom: boolean; thinks: boolean }): readonly SamplingKey[] {
	if (!on.sampled || on.thinks) return [];
	return samplingKeys.filter((key) => key !== "repeatPenalty" || on.custom);
}

interface Prompt {
	readonly tools?: Tool[];
	readonly tool_choice?: ToolChoiceNone;
	readonly system?: TextBlockParam[];
	readonly messages: Turn[];
}

/** In the order in which the provider reads it, the most lasting first; the last of each part is marked. */
function encodePrompt({ model, system, messages, tools }: ModelRequest, info: ModelInfo | undefined): Prompt {
	const turns = encodeTurns(messages, { model, images: info?.images ?? true });
	markTurns(turns);
	return {
		...(tools.length > 0 ? { tools: encodeTools(tools) } : encodeUsedTools(turns)),
		...(system.trim() !== "" && { system: encodeSystem(system) }),
		messages: turns,
	};
}

let lastSystem: { readonly said: string; readonly blocks: TextBlockParam[] } | undefined;

/** The same blocks as long as the same is said. */
function encodeSystem(said: string): TextBlockParam[] {
	if (lastSystem?.said !== said) {
		lastSystem = { said, blocks: [{ type: "text", text: said.toWellFormed(), cache_control: ephemeral }] };
	}
	return lastSystem.blocks;
}

const encodedTools = new WeakMap<readonly ToolDescription[], Tool[]>();

/** The same objects for the same tools. */
function encodeTools(tools: readonly ToolDescription[]): Tool[] {
	const known = encodedTools.get(tools);
	if (known) return known;
	const encoded = tools.map(encodeTool);
	encodedTools.set(tools, encoded);
	return encoded;
}

function encodeTool(
	{ name, description, parameters }: ToolDescription,
	index: number,
	all: readonly unknown[],
): Tool {
	return {
		name,
		description,
		// A tool's parameters are an object by the contract of the port.
		input_schema: parameters as Tool["input_schema"],
		...(index === all.length - 1 && { cache_control: ephemeral }),
	};
}

/** A conversation with calls in it is refused without tools, also where no more calls are wanted. */
function encodeUsedTools(turns: readonly Turn[]): Pick<Prompt, "tools" | "tool_choice"> {
	const names = turns.flatMap(({ content }) =>
		content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])),
	);
	const tools = [...new Set(names)].map((name): Tool => ({ name, input_schema: { type: "object" } }));
	return tools.length > 0 ? { tools, tool_choice: { type: "none" } } : {};
}

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { defined } from "@parley/base";
import type { ModelRequest, ToolDescription } from "../../vocabulary/model.ts";
import type { ModelInfo } from "../table/model-table.ts";
import { type ApiFamily, families } from "./families.ts";
import { encodePrompt } from "./prompt.ts";
import { type Effort, nearestEffort, type ServerTraits } from "./server-traits.ts";

/** Default maximum tokens of a reply from a known model. */
const DEFAULT_OUTPUT = 32_000;
/** Default maximum tokens of a reply from an unknown model. Many small local models have this limit. */
const DEFAULT_OUTPUT_UNKNOWN = 8192;

export interface CallDestination {
	readonly provider: string;
	/** Facts from the model table. Undefined for an unknown model. */
	readonly info: ModelInfo | undefined;
	readonly family: ApiFamily;
	readonly traits: ServerTraits;
}

/** Converts a request to call options of the provider interface. Equal requests have equal options. */
export function encodeCall(request: ModelRequest, to: CallDestination): LanguageModelV4CallOptions {
	const { info, family, traits } = to;
	const { sampling = {} } = request;
	const { options, ...facts } = families[family];
	const thinks = info !== undefined && info.reasoning !== "none";
	const requested = sampling.maxTokens ?? (info ? DEFAULT_OUTPUT : DEFAULT_OUTPUT_UNKNOWN);
	const { temperature, topP, topK } = (info?.sampling ?? true) ? sampling : {};
	return {
		prompt: encodePrompt(request.system, request.messages, {
			provider: to.provider,
			model: request.model,
			images: info?.images ?? true,
			returnedThinking: traits.returnedThinking ?? "turn",
			pictures: facts.pictures,
			emptyTexts: facts.emptyTexts,
			answersResults: facts.answersResults,
			callIds: traits.callIds ?? "any",
		}),
		maxOutputTokens: Math.max(1, Math.min(requested, info?.maxOutput ?? requested)),
		providerOptions: options(info && thinks),
		...defined({
			temperature,
			topP,
			topK,
			tools: request.tools.length > 0 ? encodeTools(request.tools) : undefined,
			reasoning: thinks ? reasoningOf(request, info, traits) : undefined,
		}),
	};
}

/** Returns the reasoning effort for the request, or undefined if the model's default effort applies. */
function reasoningOf(
	{ reasoning }: ModelRequest,
	{ reasoning: kind }: ModelInfo,
	{ efforts }: ServerTraits,
): Effort | undefined {
	if (reasoning === undefined) return undefined;
	const lowest = kind === "always" || kind === "between_tools" ? "low" : "none";
	const requested = reasoning === "off" ? lowest : reasoning;
	return efforts ? nearestEffort(requested, efforts) : requested;
}

const encoded = new WeakMap<readonly ToolDescription[], LanguageModelV4FunctionTool[]>();

function encodeTools(tools: readonly ToolDescription[]): LanguageModelV4FunctionTool[] {
	const known = encoded.get(tools);
	if (known) return known;
	const encodedTools = tools.map(encodeTool);
	encoded.set(tools, encodedTools);
	return encodedTools;
}

function encodeTool({ name, description, parameters }: ToolDescription): LanguageModelV4FunctionTool {
	return {
		type: "function",
		name,
		description,
		// The cast is safe because the port requires a JSON Schema as the parameters of a tool.
		inputSchema: parameters as LanguageModelV4FunctionTool["inputSchema"],
	};
}

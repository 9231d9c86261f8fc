import type { ParleyError } from "@parley/base";
import type { AssistantMessage, Message } from "./message.ts";
import type { Usage } from "./usage.ts";

/** Description of a tool for a model. `parameters` is a JSON Schema object. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** Amount of thinking before the answer. A model with fewer levels uses the nearest one. */
export const reasoningLevels = ["off", "low", "medium", "high", "xhigh", "max"] as const;

export type Reasoning = (typeof reasoningLevels)[number];

/** Sampling of a reply. Absent fields have the model's default. */
export interface Sampling {
	readonly temperature?: number;
	readonly topP?: number;
	readonly topK?: number;
	readonly repeatPenalty?: number;
	/** Tokens of one reply at most, thinking included. */
	readonly maxTokens?: number;
}

/** One request to a model. With an empty `tools`, the reply has text only (a summary, a title). */
export interface ModelRequest {
	/** The provider's own name of the model, never a tier. */
	readonly model: string;
	readonly system: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDescription[];
	readonly sampling?: Sampling;
	readonly reasoning?: Reasoning;
	/** Whether the next request probably begins more than five minutes later, so that a longer cache is worth its price. */
	readonly awaitsPeople?: boolean;
}

/** `max_tokens` is also used for a stop without a reason from the provider. Such a reply may be incomplete. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

/**
 * Events of one reply, in order: `started` if the provider sends headers before content; any number of `usage`, `thinking`,
 * `text` and `call`; then exactly one `end`. A `call` is complete: its arguments are parsed JSON, or `invalid` has the
 * reason why they are not. A provider that streams calls yields `call.started`, `call.delta` and `call.ended` before the
 * `call` of the same `index`. `usage` is the cost so far, so that an interrupted reply is counted too; `end.usage` is final.
 * Both name the model that answers.
 */
export type ModelEvent =
	/** The response headers arrived, without an error. */
	| { readonly type: "started" }
	| { readonly type: "usage"; readonly usage: Usage; readonly model: string }
	| {
			readonly type: "thinking";
			readonly text: string;
			readonly signature?: string;
			/** Thinking that the provider hides. Opaque, and returned to it unchanged. */
			readonly redacted?: string;
	  }
	| { readonly type: "text"; readonly text: string }
	| {
			readonly type: "call";
			readonly id: string;
			readonly name: string;
			readonly arguments: unknown;
			/** The place among the calls of the reply, from 0; absent if the provider sends calls whole. */
			readonly index?: number;
			/** Reason why the arguments cannot be used. It is the result of the call, which never runs. */
			readonly invalid?: string;
	  }
	| { readonly type: "call.started"; readonly index: number; readonly id: string; readonly name: string }
	/** `json` is the next part of the arguments, as the model writes them. */
	| { readonly type: "call.delta"; readonly index: number; readonly json: string }
	| { readonly type: "call.ended"; readonly index: number }
	| { readonly type: "end"; readonly stop: StopReason; readonly usage: Usage; readonly model: string };

/** Called when the provider begins to answer, also with an error. `requestId` is the provider's id of the request. */
export type Answered = (requestId: string) => void;

/**
 * Port to a language model. `stream` yields one reply and returns. It throws a `ModelError` if the reply fails or is
 * interrupted (a stream that ends without `end` is a failure too), and stops soon after `signal` aborts. It makes one
 * attempt; the caller decides about retries. It has no state between requests.
 */
export interface Model {
	readonly provider: string;
	/** Model name if no other is chosen. */
	readonly defaultModel: string;
	stream(request: ModelRequest, signal: AbortSignal, answered?: Answered): AsyncIterable<ModelEvent>;
	/** Tokens of the request by the provider's count. Undefined if the provider has no count. Throws like `stream`. */
	countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
	/** Tokens of each text alone; for servers that expose their tokenizer. Throws like `stream`. */
	countTexts?(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
	/** Resolves when the window of the model is known: the server has loaded it, or listed it, or cannot. Never rejects. */
	settled?(signal: AbortSignal, model: string): Promise<void>;
	/** Tokens of the context window as the server reports it; undefined as long as it has not. */
	windowOf?(model: string): number | undefined;
	/** The model of the provider that answers for this name, if there are several providers. */
	routeOf?(model: string): Model;
}

/** The model that answers for a name. */
export function serverOf(model: Model, name: string): Model {
	return model.routeOf?.(name) ?? model;
}

/** One reply of a model: complete, or the part before an interruption (`failure`). */
export interface Reply {
	readonly content: AssistantMessage["content"];
	/** Model that answered, or "" if no model answered. */
	readonly model: string;
	readonly stop: StopReason | undefined;
	readonly usage: Usage;
	readonly failure: ParleyError | undefined;
}

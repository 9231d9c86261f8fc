import type { ParleyError } from "@parley/base";
import type { AssistantMessage, Message } from "./message.ts";
import type { Usage } from "./usage.ts";

/** Description of a tool for a model. `parameters` is a JSON Schema object. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Levels of thinking before the answer. If the model does not have the requested level, one of its levels is used
 * instead. A model that cannot think ignores the level.
 */
export const reasoningLevels = ["off", "low", "medium", "high", "xhigh", "max"] as const;

export type Reasoning = (typeof reasoningLevels)[number];

/** Sampling parameters of a reply. For an absent field, the model's default applies. */
export interface Sampling {
	readonly temperature?: number;
	readonly topP?: number;
	readonly topK?: number;
	readonly repeatPenalty?: number;
	/** Maximum tokens of a reply, including thinking. */
	readonly maxTokens?: number;
}

/** One request to a model. If `tools` is empty, no tool call of the reply runs. */
export interface ModelRequest {
	/** Provider's name of the model, never a tier. */
	readonly model: string;
	readonly system: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDescription[];
	readonly sampling?: Sampling;
	readonly reasoning?: Reasoning;
	/** Whether the next request will probably start more than five minutes later, so that a cache with a longer lifetime saves cost. */
	readonly awaitsPeople?: boolean;
}

/**
 * Reason why the model stopped. `max_tokens` also means that the provider gave no known reason. A reply with `max_tokens` may be
 * incomplete.
 */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

/**
 * Events of one reply, in this order:
 *
 * 1. `started`, if the provider sends headers before content.
 * 2. Any number of `usage`, `thinking`, `text` and `call`. A provider that streams calls yields `call.started`, `call.delta` and
 *    `call.ended` before the `call` with the same `index`.
 * 3. Exactly one `end`.
 *
 * The `arguments` of a `call` are parsed JSON, or `invalid` has the reason why they cannot be used. `usage` is the usage so far,
 * so that an interrupted reply is also charged. `end.usage` is final.
 */
export type ModelEvent =
	/** The response headers have arrived without an error. */
	| { readonly type: "started" }
	| { readonly type: "usage"; readonly usage: Usage; readonly model: string }
	| {
			readonly type: "thinking";
			readonly text: string;
			readonly signature?: string;
			/** Thinking that the provider hides. Opaque, and sent back to the provider unchanged. */
			readonly redacted?: string;
	  }
	| { readonly type: "text"; readonly text: string }
	| {
			readonly type: "call";
			readonly id: string;
			readonly name: string;
			readonly arguments: unknown;
			/** Position among the calls of the reply, from 0. Absent if the provider does not stream calls. */
			readonly index?: number;
			/** Reason why the arguments are invalid. The reason becomes the result of the call, which never runs. */
			readonly invalid?: string;
	  }
	| { readonly type: "call.started"; readonly index: number; readonly id: string; readonly name: string }
	/** `json` is the next part of the arguments, as the model writes them. */
	| { readonly type: "call.delta"; readonly index: number; readonly json: string }
	| { readonly type: "call.ended"; readonly index: number }
	| { readonly type: "end"; readonly stop: StopReason; readonly usage: Usage; readonly model: string };

/**
 * Receives the provider's id of the request when the response starts, even for an error. Not called if there is no
 * valid id.
 */
export type OnResponseStart = (requestId: string) => void;

/**
 * Port to a language model, without state between requests. `stream` makes one attempt and yields the events
 * of one reply. It throws a `ModelError` if the reply fails or is interrupted, or if the stream ends without
 * `end`. It stops soon after `signal` aborts.
 */
export interface Model {
	readonly provider: string;
	/** Name of the model that answers if no model is chosen. */
	readonly defaultModel: string;
	stream(request: ModelRequest, signal: AbortSignal, answered?: OnResponseStart): AsyncIterable<ModelEvent>;
	/** Returns the provider's token count of the request. Undefined if the provider does not count tokens. Throws like `stream`. */
	countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
	/**
	 * Returns the number of tokens in each text. Only for servers that expose the tokenizer of the model. Throws like
	 * `stream`.
	 */
	countTexts?(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
	/** Resolves when the context window of the model is known, the server cannot report it, or `signal` aborts. Never rejects. */
	settled?(signal: AbortSignal, model: string): Promise<void>;
	/**
	 * Returns the context window that the server reported, in tokens. Returns undefined if the server reported no context
	 * window.
	 */
	windowOf?(model: string): number | undefined;
	/**
	 * Returns the `Model` of the provider that answers requests for `model`. Absent unless this `Model` combines several
	 * providers.
	 */
	routeOf?(model: string): Model;
}

/**
 * Returns the provider's `Model` that answers requests for `name`. If `model` does not combine several providers, returns
 * `model` itself.
 */
export function serverOf(model: Model, name: string): Model {
	return model.routeOf?.(name) ?? model;
}

/** One reply of a model: complete, or the part before an interruption, with `failure`. */
export interface Reply {
	readonly content: AssistantMessage["content"];
	/** Model that answered, or "" if no model answered. */
	readonly model: string;
	readonly stop: StopReason | undefined;
	readonly usage: Usage;
	readonly failure: ParleyError | undefined;
}

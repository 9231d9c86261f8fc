import type { Message } from "./message.ts";
import type { Usage } from "./usage.ts";

/** What a tool looks like to a model: `parameters` is a JSON Schema object. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** One request to a model. An empty `tools` asks for text only (a summary, a title). */
export interface ModelRequest {
	readonly model: string;
	readonly system: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDescription[];
}

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

/**
 * What one reply is made of, in order: any number of `thinking`, `text` and `call`, then exactly one `end`.
 * A `call` is whole: its arguments are parsed JSON. `end.model` is the model that really answered.
 */
export type ModelEvent =
	| { readonly type: "thinking"; readonly text: string; readonly signature?: string }
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "call"; readonly id: string; readonly name: string; readonly arguments: unknown }
	| { readonly type: "end"; readonly stop: StopReason; readonly usage: Usage; readonly model: string };

/**
 * The port to a language model. `stream` yields one reply and returns; it throws a `ParleyError` when the reply
 * cannot be had or breaks off (a stream that ends without `end` is a failure too), and stops soon after `signal`
 * aborts. It keeps no state between requests: everything it may know is in the request.
 */
export interface Model {
	readonly provider: string;
	/** The name used where a session has not chosen another. */
	readonly defaultModel: string;
	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

import type { Usage } from "@anthropic-ai/sdk/resources/messages";
import type { ReceivedRequest } from "./received-request.ts";

/** Block of a reply. `json` replaces `input` in the stream, and may be invalid JSON. */
export type ReplyBlock =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
	| { readonly type: "redacted_thinking"; readonly data: string }
	| {
			readonly type: "tool_use";
			readonly id: string;
			readonly name: string;
			readonly input?: unknown;
			readonly json?: string;
	  };

/** Event of a stream: its name, and its data before JSON encoding. */
export interface WireEvent {
	readonly event: string;
	readonly data: unknown;
}

/**
 * Early end of a stream. Values of `at`:
 * - `start`: before the response headers.
 * - `head`: after the headers, before any event.
 * - A number: before the delta with this index, starting at 0. Without such a delta, after all events.
 */
export interface Break {
	readonly at: "start" | "head" | number;
	/**
	 * Kind of the end:
	 * - `reset`: TCP reset.
	 * - `end`: normal end of the response or, before the headers, of the connection.
	 * - `hang`: an open connection without further events except pings.
	 * - An object: an event with this error.
	 */
	readonly how: "reset" | "end" | "hang" | { readonly type: string; readonly message: string };
	/** Promise that must resolve before the break. */
	readonly when?: Promise<unknown>;
	/** Milliseconds between pings during a hang. Undefined: no pings. */
	readonly pingEveryMs?: number;
}

/** Reply that is streamed as server-sent events. */
export interface StreamedReply {
	readonly content: readonly ReplyBlock[];
	/** Stop reason. By default, derived from the content. */
	readonly stop?: string | null;
	/** Model in the reply. By default, the requested model. */
	readonly model?: string;
	/**
	 * Returns the usage that replaces the true counts in `message_start` and `message_delta`. If it returns undefined,
	 * both events have no usage.
	 */
	readonly usage?: (counted: Usage) => unknown;
	/** Number of deltas before each `ping` event. By default, one ping after the second event. */
	readonly pingEvery?: number;
	/** Splits a text into deltas. By default, into pieces of 16 characters. */
	readonly cut?: (text: string) => readonly string[];
	readonly edit?: (events: readonly WireEvent[]) => readonly WireEvent[];
	readonly encode?: (stream: string) => Uint8Array;
	/**
	 * Splits the bytes into separate writes. By default, one write for each event, or one write in total with
	 * `encode`.
	 */
	readonly packets?: (bytes: Uint8Array) => readonly Uint8Array[];
	/** Delay before each packet in milliseconds, on the simulator's clock. */
	readonly everyMs?: number;
	readonly break?: Break;
}

/** Response without a stream. By default, the body is the API's error for the status. */
export interface StatusReply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
}

export type Reply = StreamedReply | StatusReply;

export type Answer = Reply | ((request: ReceivedRequest) => Reply | Promise<Reply>);

export function says(text: string): StreamedReply {
	return { content: [{ type: "text", text }] };
}

export function uses(id: string, name: string, input: unknown = {}): StreamedReply {
	return { content: [{ type: "tool_use", id, name, input }] };
}

export function thinks(thinking: string): ReplyBlock {
	return { type: "thinking", thinking };
}

import type { Usage } from "@anthropic-ai/sdk/resources/messages";
import type { ReceivedRequest } from "./received-request.ts";

/** One block of a reply. If `json` is set, it is streamed instead of a tool's `input`, even if it is invalid. */
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

/** One server-sent event: its name, and the value of its `data:` line before encoding. */
export interface WireEvent {
	readonly event: string;
	readonly data: unknown;
}

/**
 * Position and kind of an early end of a stream. `start`: before the response headers. `head`: after the headers,
 * before any event. A number: after this number of deltas, directly before the next delta.
 */
export interface Break {
	readonly at: "start" | "head" | number;
	/**
	 * Kind of the end. `reset`: TCP reset. `end`: clean end. `hang`: an open connection without further events except
	 * pings. An object: an SSE event with this error.
	 */
	readonly how: "reset" | "end" | "hang" | { readonly type: string; readonly message: string };
	/** Delays the break until it resolves, for example until the client has read the reply so far. */
	readonly when?: Promise<unknown>;
	/** Milliseconds between `ping` events during a hang. Undefined: no pings. */
	readonly pingEveryMs?: number;
}

/** Streamed message. Omitted fields have the values of the real service. */
export interface StreamedReply {
	readonly content: readonly ReplyBlock[];
	/** Stop reason. By default, derived from the content. */
	readonly stop?: string | null;
	/** Model in the reply. By default, the requested model. */
	readonly model?: string;
	/** Returns the content of both usage reports, from the true counts. The reply has no reports if it returns undefined. */
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

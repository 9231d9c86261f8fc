import type { Usage } from "@anthropic-ai/sdk/resources/messages";
import type { ReceivedRequest } from "./received-request.ts";

/** One block of a reply. `json` is streamed in place of a tool's `input`, however broken it is. */
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

/** One server-sent event before it is written: its name, and what stands behind `data:` as JSON. */
export interface WireEvent {
	readonly event: string;
	readonly data: unknown;
}

/**
 * Where a stream ends too early, and how. `start`: before the head of the response; `head`: after it, without an
 * event; a number: after that many deltas (0: after everything that comes before the first).
 */
export interface Break {
	readonly at: "start" | "head" | number;
	/** reset: TCP reset. end: clean end. hang: nothing more, the connection stays. An error is an SSE event. */
	readonly how: "reset" | "end" | "hang" | { readonly type: string; readonly message: string };
	/** What has to happen first, for instance that the client has read what was written. */
	readonly when?: Promise<unknown>;
	/** While it hangs: a `ping` as often. */
	readonly pingEveryMs?: number;
}

/** A streamed message. What is not told is as the real service does it. */
export interface StreamedReply {
	readonly content: readonly ReplyBlock[];
	/** By the content unless told. */
	readonly stop?: string | null;
	/** Who answers; the model that was asked for unless told. */
	readonly model?: string;
	/** What the two usage reports say in place of the true figures. */
	readonly usage?: (counted: Usage) => unknown;
	/** A `ping` after every so many deltas; without it one at the beginning. */
	readonly pingEvery?: number;
	/** Cuts a text into its deltas; pieces of 16 characters unless told. */
	readonly cut?: (text: string) => readonly string[];
	/** Changes the events before they are written. */
	readonly edit?: (events: readonly WireEvent[]) => readonly WireEvent[];
	/** Changes the bytes of the stream. */
	readonly encode?: (stream: string) => Uint8Array;
	/** Cuts the bytes into what is written at once; one piece for each event unless told. */
	readonly packets?: (bytes: Uint8Array) => readonly Uint8Array[];
	/** Waits as long, on the simulator's clock, before each packet. */
	readonly everyMs?: number;
	readonly break?: Break;
}

/** A response that is no stream. The body is an error of the API for that status unless told. */
export interface StatusReply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
}

export type Reply = StreamedReply | StatusReply;

/** What the simulator says to one request. */
export type Answer = Reply | ((request: ReceivedRequest) => Reply | Promise<Reply>);

/** A reply of text. */
export function says(text: string): StreamedReply {
	return { content: [{ type: "text", text }] };
}

/** A reply of one tool call. */
export function uses(id: string, name: string, input: unknown = {}): StreamedReply {
	return { content: [{ type: "tool_use", id, name, input }] };
}

/** Thinking that goes back to the service only as it came. */
export function thinks(thinking: string): ReplyBlock {
	return { type: "thinking", thinking };
}

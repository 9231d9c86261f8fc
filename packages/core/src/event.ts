import type { Prompt } from "./prompt.ts";
import type { Usage } from "./usage.ts";

/** Who wrote a message, where it was not the session's operator. Untrusted text for the model. */
export interface Author {
	readonly id: string;
	readonly name: string;
}

/**
 * What is kept for ever, in the order of `seq`: the vocabulary of the whole product.
 * A session begins with `session.created`. Of one run: `user.message`, then per call one `tool.started` and exactly
 * one `tool.completed` or `tool.failed`, with its `prompt.requested` between; last exactly one `assistant.message`.
 */
export type RecordedEvent =
	| { readonly type: "session.created" }
	| { readonly type: "session.closed" }
	| {
			readonly type: "user.message";
			readonly runId: string;
			readonly content: string;
			readonly author?: Author;
	  }
	| {
			readonly type: "assistant.message";
			readonly runId: string;
			readonly content: string;
			/** "" when all went well, `cancelled`, or what went wrong, for people. */
			readonly error: string;
			/** The model that really answered; "" when none did. */
			readonly model: string;
			readonly usage: Usage;
	  }
	| {
			readonly type: "tool.started";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly arguments: unknown;
	  }
	| {
			readonly type: "tool.completed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly result: string;
	  }
	| {
			readonly type: "tool.failed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly error: string;
	  }
	| { readonly type: "prompt.requested"; readonly prompt: Prompt }
	| {
			readonly type: "prompt.answered";
			readonly token: string;
			/** What was answered; null for a password. */
			readonly value: unknown;
			readonly cancelled: boolean;
			readonly by: string;
	  }
	| { readonly type: "prompt.closed"; readonly token: string; readonly reason: string };

/**
 * What is shown while it happens and not kept. A reply that has text is `text.started`, deltas, `text.ended`;
 * after a crash the reply is made again and starts with a new `text.started`.
 */
export type TransientEvent =
	| { readonly type: "text.started"; readonly runId: string }
	| { readonly type: "text.delta"; readonly runId: string; readonly text: string }
	| { readonly type: "text.ended"; readonly runId: string }
	/** An open question, shown again to somebody who has just come. */
	| { readonly type: "prompt.shown"; readonly prompt: Prompt };

/** A recorded event with its place: `seq` counts from 1 in its session, without gaps. */
export interface Recorded {
	readonly transient: false;
	readonly id: string;
	readonly sessionId: string;
	readonly seq: number;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly event: RecordedEvent;
}

/** A passing event; `seq` is that of the last recorded event before it. */
export interface Passing {
	readonly transient: true;
	readonly sessionId: string;
	readonly seq: number;
	readonly event: TransientEvent;
}

export type SessionEvent = Recorded | Passing;

import type { AssistantMessage } from "../message.ts";
import type { Usage } from "../usage.ts";

/**
 * What a run has done, in order. A run is a function over these: after a crash it is replayed up to the last one
 * and goes on from there. Nothing that is not a step has happened.
 */
export type Step =
	/** A model is about to be called; without a `reply` after it the call is made again. */
	| { readonly kind: "call" }
	| {
			readonly kind: "reply";
			readonly content: AssistantMessage["content"];
			readonly model: string;
			readonly usage: Usage;
	  }
	/** The call was announced (`tool.started`). */
	| { readonly kind: "started"; readonly callId: string }
	/** An effectful call is about to run; without a `result` after it nobody knows what it did. */
	| { readonly kind: "intent"; readonly callId: string }
	| { readonly kind: "result"; readonly callId: string; readonly text: string; readonly failed: boolean }
	| { readonly kind: "ended"; readonly error: string };

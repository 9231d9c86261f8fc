import type { ContextSnapshot } from "./context-snapshot.ts";
import type { AssistantMessage } from "./message.ts";
import type { StopReason } from "./model.ts";
import type { Prompt } from "./prompt.ts";
import type { OodaPhase } from "./run-options.ts";
import type { PlanStep } from "./task.ts";

/**
 * Transient events, which are not recorded. A reply with text has `text.started`, deltas and `text.ended`. After a crash the
 * reply is requested again and starts with a new `text.started`. A reply that the provider streams begins with
 * `response.started`. It may have `thinking.delta`s, and for each call `arguments.started`, deltas and `arguments.ended`,
 * also if it is interrupted. None of these contain secrets. An auxiliary text, such as a summary, has no transient events.
 */
export type TransientEvent =
	/** The response headers of a model call arrived. */
	| { readonly type: "response.started"; readonly runId: string }
	/** The next part of the model's thinking. */
	| { readonly type: "thinking.delta"; readonly runId: string; readonly text: string }
	/** The model has begun to write a call. A `tool.started` with the same `callId` follows if the call is made. */
	| {
			readonly type: "arguments.started";
			readonly runId: string;
			/** The place among the calls of the reply, from 0. */
			readonly index: number;
			readonly callId: string;
			/** Name of the tool as the model writes it. */
			readonly name: string;
	  }
	/** The next part of the arguments, as JSON text. */
	| {
			readonly type: "arguments.delta";
			readonly runId: string;
			readonly index: number;
			readonly callId: string;
			readonly name: string;
			readonly json: string;
			/** Characters of the arguments before this part. */
			readonly offset: number;
	  }
	/**
	 * The model has written the complete call, or the reply was interrupted. `length` is the number of characters of the
	 * arguments.
	 */
	| {
			readonly type: "arguments.ended";
			readonly runId: string;
			readonly index: number;
			readonly callId: string;
			readonly name: string;
			readonly length: number;
	  }
	/**
	 * The calls of a reply that can be decided now, in the order of the model, after the `tool.started` and
	 * `prompt.requested` of each. A call without a token needs no approval. A call that is planned again is listed again,
	 * for example because a call before it has changed files.
	 */
	| {
			readonly type: "calls.proposed";
			readonly runId: string;
			readonly calls: readonly {
				readonly callId: string;
				readonly name: string;
				readonly arguments: unknown;
				readonly token?: string;
			}[];
	  }
	| { readonly type: "text.started"; readonly runId: string }
	| { readonly type: "text.delta"; readonly runId: string; readonly text: string }
	| { readonly type: "text.ended"; readonly runId: string }
	/** A model is about to be called. */
	| {
			readonly type: "model.calling";
			readonly runId: string;
			readonly model: string;
			readonly provider: string;
			readonly messages: number;
			/** The text is internal, such as a summary. */
			readonly auxiliary?: true;
			/** The phase of a run with the mode `ooda`. */
			readonly ooda?: OodaPhase;
	  }
	/**
	 * The context changed: once for each complete reply, before its `model.replied`, and after a compaction that was
	 * requested while no run was active (then `runId` is ""). Calls for a summary or a title do not count.
	 */
	| ({ readonly type: "context.updated"; readonly runId: string } & ContextSnapshot)
	/**
	 * Reply of a model call with visible text. It follows the text, precedes the `model.called`, and contains no secrets.
	 */
	| {
			readonly type: "model.replied";
			readonly runId: string;
			readonly content: AssistantMessage["content"];
			/** Undefined if the call failed, was cancelled, or was interrupted. */
			readonly stop: StopReason | undefined;
	  }
	/**
	 * A call starts to run, after its approval if it needs one. It follows `tool.started` and precedes progress and end. It
	 * may be repeated after a restart if the call is safe to repeat. A call that does not run has no such event.
	 */
	| { readonly type: "tool.running"; readonly runId: string; readonly callId: string }
	/**
	 * Output of a running call since the last such event: complete lines without secrets, between `tool.started` and the end,
	 * at most 10 times a second. If there is too much output, older lines are replaced by a marker.
	 */
	| { readonly type: "tool.progress"; readonly runId: string; readonly callId: string; readonly text: string }
	/** The newest list of steps of an active run, repeated to a client that joins after it was recorded. */
	| {
			readonly type: "todo.shown";
			readonly runId: string;
			readonly callId: string;
			readonly steps: readonly PlanStep[];
	  }
	/** An open question, sent again to a client that joined. */
	| { readonly type: "prompt.shown"; readonly prompt: Prompt }
	/** The session and all its data were deleted. It is the last event. */
	| { readonly type: "session.deleted" };

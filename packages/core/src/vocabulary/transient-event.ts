import type { ContextSnapshot } from "./context-snapshot.ts";
import type { AssistantMessage } from "./message.ts";
import type { StopReason } from "./model.ts";
import type { Prompt } from "./prompt.ts";
import type { OodaPhase } from "./run-options.ts";
import type { PlanStep } from "./task.ts";

/**
 * Transient events, which are not recorded. A reply with text has `text.started`, deltas and `text.ended`. After a crash,
 * the reply is requested again and begins with another `text.started`. A streamed reply begins with `response.started`.
 * Such a reply may have `thinking.delta`s, and for each tool call `arguments.started`, deltas and `arguments.ended`, even
 * if the reply is interrupted. Transient events contain no secrets. For an auxiliary text, such as a summary,
 * `model.calling` is the only transient event.
 */
export type TransientEvent =
	/** The response headers of a model call have arrived. */
	| { readonly type: "response.started"; readonly runId: string }
	/** Next part of the model's thinking. */
	| { readonly type: "thinking.delta"; readonly runId: string; readonly text: string }
	/** The model has started to write a tool call. If the call is made, a `tool.started` with the same `callId` follows. */
	| {
			readonly type: "arguments.started";
			readonly runId: string;
			/** Position among the calls of the reply, from 0. */
			readonly index: number;
			readonly callId: string;
			/** Name of the tool as the model writes it. */
			readonly name: string;
	  }
	/** Next part of the arguments, as JSON text. */
	| {
			readonly type: "arguments.delta";
			readonly runId: string;
			readonly index: number;
			readonly callId: string;
			readonly name: string;
			readonly json: string;
			/** Number of characters in the arguments before this part. */
			readonly offset: number;
	  }
	/**
	 * The model has written the complete tool call, or the reply was interrupted. `length` is the number of characters of the
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
	 * Tool calls of one reply, in the model's order. These calls can now be decided. The event follows the `tool.started`
	 * and `prompt.requested` of each call. A call without a token needs no approval. A call that is planned again is listed
	 * again, for example because an earlier call has changed files.
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
			/** True if the call is for an internal text, such as a summary. */
			readonly auxiliary?: true;
			/** Phase of a run in mode `ooda`. */
			readonly ooda?: OodaPhase;
	  }
	/**
	 * The context changed. The event follows each reply without a failure, before `model.replied`. The event also follows a
	 * requested compaction of an idle session, with `runId` "". Calls for a summary or a title do not cause this event.
	 */
	| ({ readonly type: "context.updated"; readonly runId: string } & ContextSnapshot)
	/** Reply of a model call, unless the call was auxiliary. The event follows the text and precedes `model.called`. */
	| {
			readonly type: "model.replied";
			readonly runId: string;
			readonly content: AssistantMessage["content"];
			/** Undefined if the call failed, was cancelled, or was interrupted. */
			readonly stop: StopReason | undefined;
	  }
	/**
	 * A tool call starts to run, after any approval. The event follows `tool.started`, and precedes `tool.progress` and
	 * the end of the call. If a call runs again after a restart, the event is repeated. A call that does not run does
	 * not have this event.
	 */
	| { readonly type: "tool.running"; readonly runId: string; readonly callId: string }
	/**
	 * Output of a running tool call since the last event of this type: lines without secrets, at most 10 times a second.
	 * Only at the end of the call, the last line may be incomplete. If there is too much output, a marker replaces older
	 * lines.
	 */
	| { readonly type: "tool.progress"; readonly runId: string; readonly callId: string; readonly text: string }
	/** Newest list of steps of an active run. Sent to a client that joins after the list was changed. */
	| {
			readonly type: "todo.shown";
			readonly runId: string;
			readonly callId: string;
			readonly steps: readonly PlanStep[];
	  }
	/** An open question. Sent to a client that joins after the question was asked. */
	| { readonly type: "prompt.shown"; readonly prompt: Prompt }
	/** The session and all its data were deleted. No event follows. */
	| { readonly type: "session.deleted" };

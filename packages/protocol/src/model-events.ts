import * as z from "zod";
import { budgetPeriod, budgetScope, Usage } from "./usage-report.ts";

const runId = { run_id: z.string() };
const tokens = z.int().min(0);

export const modelPayloads = {
	/**
	 * A model call: a transient event with phase `start`, and then an event with phase `end`. The `end` has the actual
	 * usage, even if the call failed. In a `start`, usage and duration are 0, and the error is empty.
	 */
	"internal.llm.call": Usage.extend({
		...runId,
		phase: z.enum(["start", "end"]),
		model: z.string(),
		provider: z.string(),
		/** Number of messages in the request. */
		message_count: z.int(),
		/** Duration in nanoseconds. */
		duration: z.int(),
		/** Error message. Empty after a complete reply. */
		error: z.string(),
		/**
		 * Text of the reply, if tool calls follow the text. Absent if the reply has no text or no tool calls, and in a
		 * `start`.
		 */
		text: z.exactOptional(z.string()),
	}),
	/** The response headers of a model call have arrived. Thinking, text and calls may follow. Transient. */
	"assistant.started": z.object(runId),
	/** Next part of the model's thinking. Transient. */
	"assistant.thinking": z.object({ ...runId, content: z.string() }),
	/**
	 * A tool call while the model writes it: `start`, then `delta`s with parts of the arguments as JSON text, then
	 * `end`. The `end` also follows if the reply is interrupted. If the call is made, a `tool.call` event with the same
	 * `call_id` follows. Transient.
	 */
	"tool.arguments": z.object({
		...runId,
		phase: z.enum(["start", "delta", "end"]),
		call_id: z.string(),
		/** Tool name as the model writes it. */
		name: z.string(),
		/** Index among the calls of the reply, from 0. */
		index: z.int().min(0),
		/**
		 * Part of the arguments, from their first 32,768 characters. "" in deltas after these characters, and in the
		 * phases `start` and `end`.
		 */
		content: z.string(),
		/**
		 * Number of characters in the arguments before `content`. If `offset` is higher than the end of the previous
		 * delta, parts were omitted.
		 */
		offset: z.int().min(0),
	}),
	/**
	 * New lines from the output of a running call, at most 10 events a second. Only the last event of a call may contain
	 * an incomplete line. If there is too much output, a marker replaces older lines. Transient.
	 */
	"tool.output": z.object({ ...runId, call_id: z.string(), content: z.string() }),
	/**
	 * A model call failed, or the reply was unusable. The retry uses `model`, after `in_ms` milliseconds. `attempt` is
	 * the number of the retry, from 1.
	 */
	"run.retrying": z.object({
		...runId,
		reason: z.string(),
		in_ms: z.number(),
		attempt: z.int(),
		model: z.string(),
	}),
	/** Usage so far. `run`: usage of the run. `session`: usage of the session. */
	"usage.updated": z.object({ ...runId, run: Usage, session: Usage }),
	/** A budget reached 80 % or its limit. `message` is a human-readable description. */
	"budget.reached": z.object({
		scope: budgetScope,
		period: budgetPeriod,
		percent: z.number(),
		spent_usd: z.number(),
		limit_usd: z.number(),
		message: z.string(),
	}),
	/**
	 * Older parts of the conversation were compacted for the model. Token counts are estimates. `run_id` is ""
	 * if a client requested the compaction with `compact_session`.
	 */
	"context.compacted": z.object({
		...runId,
		level: z.enum(["tool_results", "thinking", "summary"]),
		tokens_before: tokens,
		tokens_after: tokens,
		/** Reason why the model wrote no summary. "" if a model wrote the summary, and at levels other than `summary`. */
		error: z.string().default(""),
	}),
	/** A requested compaction has ended. Token counts are estimates, and 0 unless `status` is `compacted`. */
	"compaction.ended": z.object({
		/** Result of the compaction. `unchanged`: the conversation has no message after its last summary. */
		status: z.enum(["compacted", "unchanged", "failed", "cancelled"]),
		tokens_before: tokens,
		tokens_after: tokens,
		/** Reason for a failure, otherwise empty. */
		error: z.string(),
	}),
};

export type ModelEventPayloads = {
	readonly [Name in keyof typeof modelPayloads]: Readonly<z.output<(typeof modelPayloads)[Name]>>;
};

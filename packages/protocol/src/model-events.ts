import * as z from "zod";
import { budgetPeriod, budgetScope, Usage } from "./usage-report.ts";

const runId = { run_id: z.string() };
const tokens = z.int().min(0);

/** The events about models and money. */
export const modelPayloads = {
	/**
	 * A model call: `start` in passing, and at its `end` what it really took, also where it failed. The keys of a `start`
	 * are all there, with nothing in them yet.
	 */
	"internal.llm.call": Usage.extend({
		...runId,
		phase: z.enum(["start", "end"]),
		model: z.string(),
		provider: z.string(),
		/** Messages of the request. */
		message_count: z.int(),
		/** Nanoseconds. */
		duration: z.int(),
		/** Empty when a whole reply came. */
		error: z.string(),
	}),
	/** The response headers of a model call are there; its thinking, text and calls follow. Transient. */
	"assistant.started": z.object(runId),
	/** The next part of what the model thinks. Transient. */
	"assistant.thinking": z.object({ ...runId, content: z.string() }),
	/**
	 * A call while the model writes it: `start`, then `delta`s with parts of the arguments as JSON text, then `end`, also if
	 * the reply breaks off. `tool.call` with this `call_id` follows if the call is made. Transient.
	 */
	"tool.arguments": z.object({
		...runId,
		phase: z.enum(["start", "delta", "end"]),
		call_id: z.string(),
		/** Of the tool, as the model writes it. */
		name: z.string(),
		/** The place among the calls of the reply, from 0. */
		index: z.int().min(0),
		/** Of the first 32,768 characters of the arguments; "" in later deltas and in other phases. */
		content: z.string(),
		/** Characters of the arguments before `content`. A gap to the delta before means that parts were left out. */
		offset: z.int().min(0),
	}),
	/** A model call failed and is made again, by `model`, after `in_ms` milliseconds; `attempt` counts from 1. */
	"run.retrying": z.object({
		...runId,
		reason: z.string(),
		in_ms: z.number(),
		attempt: z.int(),
		model: z.string(),
	}),
	/** What a run and its session have used so far. */
	"usage.updated": z.object({ ...runId, run: Usage, session: Usage }),
	/** A budget has come to 80 % or to its end; `message` says it for people. */
	"budget.reached": z.object({
		scope: budgetScope,
		period: budgetPeriod,
		percent: z.number(),
		spent_usd: z.number(),
		limit_usd: z.number(),
		message: z.string(),
	}),
	/** Older parts of the conversation were made shorter, for the model alone; tokens as estimated. */
	"context.compacted": z.object({
		...runId,
		level: z.enum(["tool_results", "thinking", "summary"]),
		tokens_before: tokens,
		tokens_after: tokens,
		/** Why no model wrote the summary; "" if a model did, and at other levels. */
		error: z.string().default(""),
	}),
};

export type ModelEventPayloads = {
	readonly [Name in keyof typeof modelPayloads]: Readonly<z.output<(typeof modelPayloads)[Name]>>;
};

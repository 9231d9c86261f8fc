import type { Message } from "./message.ts";

/**
 * Method of a compaction.
 * - tool_results: removes or shortens tool results.
 * - thinking: removes thinking.
 * - summary: replaces older messages with a summary.
 */
export type CompactionLevel = "tool_results" | "thinking" | "summary";

/** One compaction of a session's context. Token counts are estimates. */
export interface ContextCompaction {
	readonly level: CompactionLevel;
	readonly messagesBefore: number;
	readonly messagesAfter: number;
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	readonly summary?: string;
}

/**
 * Tokens of a session's context window, by part. The tokens of the request are the provider's count, the count of the
 * model's tokenizer, or an estimate. They are divided among the parts in proportion to the sizes of the parts. `basis` is
 * the measure of these sizes.
 *
 * All numbers are non-negative integers, and three sums are exact:
 * - `system + tools + history + run` is `total`.
 * - `total + remaining` is `window`.
 * - The sum of the tokens of `messages` is `history + run`.
 */
export interface ContextSnapshot {
	readonly model: string;
	/** Size of the context window, or `total` if the provider accepted a larger request. */
	readonly window: number;
	/** System prompt, with the provider's additions to each request. */
	readonly system: number;
	/** Descriptions of the tools. */
	readonly tools: number;
	/** Messages of earlier runs, and the summary that replaces older messages. */
	readonly history: number;
	/** Messages of the current run, including its last reply. */
	readonly run: number;
	readonly total: number;
	readonly remaining: number;
	/** Part of `remaining` that is reserved for a reply. */
	readonly reserved: number;
	/**
	 * Role, origin and size of each message in the model request, oldest first. If the reply to the request belongs to the
	 * conversation, the reply is the last message.
	 */
	readonly messages: readonly {
		readonly role: Message["role"];
		readonly source: "history" | "run";
		readonly tokens: number;
	}[];
	/** Measure of the sizes of the parts: counts of the model's tokenizer, or estimates. */
	readonly basis: "tokenizer" | "estimate";
	/** Compactions since the last snapshot, oldest first. */
	readonly compacted: readonly ContextCompaction[];
}

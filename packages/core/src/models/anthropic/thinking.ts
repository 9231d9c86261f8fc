import type { BetaThinkingBlockBinding } from "@anthropic-ai/sdk/resources/beta/messages";
import type { OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelRequest, Reasoning, Sampling } from "../../vocabulary/model.ts";
import type { Destination } from "./destination.ts";
import type { Turn } from "./turns.ts";

/** What a request says about thinking; empty where the model is left to itself. */
export interface Thinking {
	readonly thinking?: ThinkingConfigParam & { readonly block_binding?: BetaThinkingBlockBinding };
	readonly output_config?: OutputConfig;
}

/** Fewer are refused: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const MIN_BUDGET = 1024;

/** Tokens of a reply that are kept for the answer itself. */
const FOR_THE_ANSWER = 4096;

const budgets: Readonly<Record<Exclude<Reasoning, "off">, number>> = {
	low: 4096,
	medium: 10_240,
	high: 24_576,
	xhigh: 49_152,
	max: Number.POSITIVE_INFINITY,
};

/** Models of the first generation with efforts have no level between `high` and `max`. */
const WITHOUT_XHIGH = /^claude-(opus|sonnet)-4-6\b/;

/**
 * Models that refuse thoughts of theirs when anything before them is not as it was, as after a compaction, unless they
 * are told to forget them: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
const BOUND = /^claude-((fable|mythos)-5-[1-9]|(haiku|sonnet|opus)-5-[5-9])\b/;

/** What a request needs besides that says what to do with thoughts that do not fit. */
export const bindingHeaders = { "anthropic-beta": "thinking-binding-controls-2026-08-01" } as const;

/** How the model is asked to think. Where nothing was chosen, it does as it likes, but what it thinks can be read. */
export function thinkingOf(
	request: Pick<ModelRequest, "model" | "reasoning" | "sampling">,
	destination: Destination,
	{ turns, maxTokens }: { readonly turns: readonly Turn[]; readonly maxTokens: number },
): Thinking {
	const { reasoning, sampling } = request;
	const { info } = destination;
	// Thinking excludes sampling: what somebody chose goes before what nobody did.
	if (reasoning === undefined && info?.sampling && isSampled(sampling)) return {};
	switch (info?.reasoning) {
		case "budget":
			return budgeted(reasoning, turns, maxTokens);
		case "adaptive":
			if (reasoning === "off") return { thinking: { type: "disabled" } };
			return adaptive(request.model, reasoning, destination);
		case "between_tools":
			if (reasoning === "off") return { thinking: { type: "between_tools" } };
			return adaptive(request.model, reasoning, destination);
		case "always":
			return adaptive(request.model, reasoning === "off" ? "low" : reasoning, destination);
		default:
			return {};
	}
}

function isSampled({ temperature, topP, topK }: Sampling = {}): boolean {
	return temperature !== undefined || topP !== undefined || topK !== undefined;
}

function adaptive(
	model: string,
	effort: Exclude<Reasoning, "off"> | undefined,
	{ custom }: Destination,
): Thinking {
	const forgetful = !custom && BOUND.test(model);
	const thinking: Thinking["thinking"] = {
		type: "adaptive",
		// Without it, newer models send their thinking empty.
		display: "summarized",
		...(forgetful && { block_binding: { prefix_mismatch_behavior: "drop_block" } }),
	};
	if (effort === undefined) return { thinking };
	const known = effort === "xhigh" && WITHOUT_XHIGH.test(model) ? "high" : effort;
	return { thinking, output_config: { effort: known } };
}

function budgeted(reasoning: Reasoning | undefined, turns: readonly Turn[], maxTokens: number): Thinking {
	if (reasoning === undefined || reasoning === "off") return {};
	const room = maxTokens - Math.min(FOR_THE_ANSWER, Math.floor(maxTokens / 2));
	const budget = Math.min(budgets[reasoning], room);
	if (budget < MIN_BUDGET || amidThoughtlessCalls(turns)) return {};
	return { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * Whether the model is to go on with calls before which nothing was thought, or nothing that it may see, as when
 * another model made them: a turn that has begun without thinking is refused with it.
 */
function amidThoughtlessCalls(turns: readonly Turn[]): boolean {
	const asked = turns.findLastIndex(
		({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
	);
	const begun = turns[asked + 1]?.content[0]?.type;
	return begun !== undefined && begun !== "thinking" && begun !== "redacted_thinking";
}

import type { EventPayloads } from "@parley/protocol";
import { formatRoughly, formatUsd } from "../text/amounts.ts";
import { localTime } from "../text/local-time.ts";
import { visibleLine } from "../text/visible.ts";

export interface ListWords {
	/** Can contain unsafe characters and line breaks. */
	readonly words: string;
	/** Shown in red. */
	readonly failed?: boolean;
}

export function callListWords({
	model,
	tokens_input,
	tokens_output,
	cost_usd,
	error,
}: EventPayloads["internal.llm.call"]): ListWords {
	if (error !== "") return { words: `${model}: ${error}`, failed: true };
	const tokens = `${formatRoughly(tokens_input)} tokens in, ${formatRoughly(tokens_output)} out`;
	return { words: `${model}, ${tokens}, ${formatUsd(cost_usd)}` };
}

export function compactedListWords({
	level,
	tokens_before,
	tokens_after,
	error,
}: EventPayloads["context.compacted"]): ListWords {
	const sizes = `${level}: ${formatRoughly(tokens_before)} to ${formatRoughly(tokens_after)} tokens`;
	return error === "" ? { words: sizes } : { words: `${sizes}, no summary: ${error}`, failed: true };
}

/** Texts for the end of a requested compaction. */
export function compactionListWords({
	status,
	tokens_before,
	tokens_after,
	error,
}: EventPayloads["compaction.ended"]): ListWords {
	switch (status) {
		case "compacted":
			return {
				words: `the conversation was shortened from ${formatRoughly(tokens_before)} to ${formatRoughly(tokens_after)} tokens`,
			};
		case "unchanged":
			return { words: "the conversation has nothing to shorten" };
		case "cancelled":
			return { words: "the conversation was not shortened: stopped", failed: true };
		case "failed":
			return { words: `the conversation was not shortened: ${error}`, failed: true };
	}
}

export function toolListWords(call: EventPayloads["tool.call"]): ListWords {
	if (call.status === "failed") return { words: `${call.name} failed: ${call.error}`, failed: true };
	if (call.status === "completed") return { words: `${call.name} returned ${call.result}` };
	const trusted = call.trusted ? " (trusted)" : "";
	return { words: `${call.name} ${JSON.stringify(call.arguments)}${trusted}` };
}

export function skillStepListWords(
	step: EventPayloads["skill.step.started"] | EventPayloads["skill.step.completed"],
): ListWords {
	const name = `${step.skill_name}: ${step.step_title}${step.attempt > 1 ? ` (attempt ${step.attempt})` : ""}`;
	if (!("error" in step)) return { words: name };
	if (step.error !== "") return { words: `${name} failed: ${step.error}`, failed: true };
	return { words: step.reason === "" ? `${name} done` : `${name} done: ${step.reason}` };
}

/** Text for a new trust grant, in one line. */
export function grantedWords({
	place,
	expires_at,
	granted_by,
	reason,
	max_actions,
}: EventPayloads["grant.created"]): string {
	const until = localTime(new Date(expires_at));
	const limit = `${max_actions} calls at most`;
	return `${visibleLine(place)} is trusted until ${until}, ${limit}, by ${visibleLine(granted_by)}: ${visibleLine(reason)}`;
}

export function grantEndedWords({ reason }: EventPayloads["grant.ended"]): string {
	return `the channel is no longer trusted: ${visibleLine(reason)}`;
}

import { formatUsd } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import { formatRoughly } from "../text/amounts.ts";
import { localTime } from "../text/local-time.ts";
import { visibleLine } from "../text/visible.ts";
import { eventTexts } from "../texts/events.ts";

export interface ListWords {
	/** Text of the event. It may contain unsafe characters and line breaks. */
	readonly words: string;
	/** Whether the text is shown in red. */
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
	const tokens = eventTexts.tokens({
		input: formatRoughly(tokens_input),
		output: formatRoughly(tokens_output),
	});
	return { words: `${model}, ${tokens}, ${formatUsd(cost_usd)}` };
}

export function compactedListWords({
	level,
	tokens_before,
	tokens_after,
	error,
}: EventPayloads["context.compacted"]): ListWords {
	const sizes = eventTexts.compacted({
		level,
		before: formatRoughly(tokens_before),
		after: formatRoughly(tokens_after),
	});
	return error === ""
		? { words: sizes }
		: { words: eventTexts.compactedWithoutSummary({ sizes, error }), failed: true };
}

/** Returns the text about the end of a requested compaction. */
export function compactionListWords({
	status,
	tokens_before,
	tokens_after,
	error,
}: EventPayloads["compaction.ended"]): ListWords {
	switch (status) {
		case "compacted":
			return {
				words: eventTexts.shortened({
					before: formatRoughly(tokens_before),
					after: formatRoughly(tokens_after),
				}),
			};
		case "unchanged":
			return { words: eventTexts.nothingToShorten };
		case "cancelled":
			return { words: eventTexts.shorteningStopped, failed: true };
		case "failed":
			return { words: eventTexts.notShortened({ error }), failed: true };
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

/** Returns the text about a new trust grant, in one line. */
export function grantedWords({
	place,
	expires_at,
	granted_by,
	reason,
	max_actions,
}: EventPayloads["grant.created"]): string {
	const until = localTime(new Date(expires_at));
	return eventTexts.trusted({
		channel: visibleLine(place),
		until,
		calls: max_actions,
		by: visibleLine(granted_by),
		reason: visibleLine(reason),
	});
}

export function grantEndedWords({ reason }: EventPayloads["grant.ended"]): string {
	return eventTexts.trustEnded({ reason: visibleLine(reason) });
}

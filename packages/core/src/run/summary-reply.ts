import type { StopReason } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { Reply } from "./fold.ts";
import { textOf } from "./transcript.ts";

/** Maximum model calls for one summary, failed ones included. */
export const summaryCalls = 2;

/** Returns why a complete reply cannot be used as a summary: the model refused, or wrote no text. */
export function withoutText({ content, stop }: Pick<Reply, "content" | "stop">): ModelError | undefined {
	if (stop !== "refusal" && textOf(content).trim() !== "") return undefined;
	const reason = (stop && reasons[stop]) ?? "it has no text";
	return new ModelError(`the reply cannot be used as a summary: ${reason}`, { fault: "interrupted" });
}

const reasons: Readonly<Partial<Record<StopReason, string>>> = {
	refusal: "the model refused",
	max_tokens: "it was cut at its limit before any text",
};

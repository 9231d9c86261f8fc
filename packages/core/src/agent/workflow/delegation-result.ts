import { definedItems } from "@parley/base";
import { shorten } from "../../text/visible.ts";
import type { WorkflowEnd, WorkStep } from "../../vocabulary/skill.ts";
import type { WorkflowProgress } from "./progress.ts";
import { subAgentTexts } from "./texts.ts";

/** Maximum characters of one result. */
const maxResult = 16_000;

/** Returns the results of all sub-agents of a call in one text. The text is an error only if all sub-agents failed. */
export function delegationEnding(progress: WorkflowProgress): WorkflowEnd {
	const { steps } = progress.workflow;
	const texts = steps.map((step) => resultOf(progress, step, steps.length > 1));
	const text = texts.join("\n\n");
	return steps.some(({ id }) => progress.succeeded(id))
		? { output: text, error: "" }
		: { output: "", error: text };
}

function resultOf(progress: WorkflowProgress, { id, title }: WorkStep, hasHeading: boolean): string {
	const { error = subAgentTexts.notStarted, output = "" } = progress.lastTry(id)?.end ?? {};
	const text = output.length > maxResult ? subAgentTexts.cut(shorten(output, maxResult)) : output;
	const failure = error === "" ? undefined : subAgentTexts.incomplete(title, error);
	return definedItems([
		hasHeading ? `## ${title}` : undefined,
		failure,
		failure !== undefined && text !== "" ? subAgentTexts.lastText(text) : text,
	])
		.filter((part) => part !== "")
		.join("\n\n");
}

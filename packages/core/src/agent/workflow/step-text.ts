import { shorten } from "../../text/shorten.ts";
import type { SkillStep } from "../../vocabulary/skill.ts";
import type { WorkflowProgress } from "./progress.ts";

/** Maximum characters of one result that another step gets. */
const mostResult = 16_000;
/** Maximum characters of the arguments. */
const mostArguments = 16_000;

/**
 * The message that a step works on: its prompt, the arguments, its criteria, the results of its needs, and the reason if a
 * try before it failed. All but the prompt is quoted, so that no line of it passes for the prompt.
 */
export function stepText(progress: WorkflowProgress, { id, prompt, criteria, needs }: SkillStep): string {
	const { workflow, arguments: given } = progress;
	const last = progress.lastTry(id)?.end;
	const titles = new Map(workflow.steps.map((step) => [step.id, step.title]));
	return [
		prompt,
		given.trim() === ""
			? ""
			: section(`Arguments of the skill ${workflow.name}`, shorten(given, mostArguments)),
		criteria ? section("Criteria that the result must meet", criteria.join("\n")) : "",
		...needs.map((need) =>
			section(
				`Result of the step "${titles.get(need) ?? need}"`,
				shorten(progress.outputOf(need), mostResult),
			),
		),
		...(last?.willRetry
			? [
					section("An earlier try failed", last.error),
					section("Result of that try", shorten(last.output, mostResult)),
				]
			: []),
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

/** Characters that end a line for some reader. */
const lineEnds = /\r\n|[\n\v\f\r\u{85}\u{2028}\u{2029}]/u;

function section(heading: string, text: string): string {
	const lines = text.split(lineEnds).map((line) => `> ${line}`);
	return [`${heading}:`, ...lines].join("\n");
}

/** The result of a workflow: of its last step, or of all last steps under their titles. */
export function resultText(progress: WorkflowProgress): string {
	const [only, ...others] = progress.lastSteps;
	if (only && others.length === 0) return progress.outputOf(only.id);
	return progress.lastSteps.map(({ id, title }) => `## ${title}\n\n${progress.outputOf(id)}`).join("\n\n");
}

/** Why a workflow failed, with the steps that succeeded and those that did not start. */
export function failureText(progress: WorkflowProgress): string {
	const { failed, workflow } = progress;
	if (!failed) return "";
	const { step, attempts, error } = failed;
	const tries = attempts === 1 ? "" : ` after ${attempts} tries`;
	const done = workflow.steps.filter(({ id }) => progress.succeeded(id));
	const skipped = workflow.steps.filter(({ id }) => progress.lastTry(id) === undefined);
	return [
		`The skill ${workflow.name} failed at the step "${step.title}"${tries}: ${error}.`,
		...(done.length > 0 ? [`Completed: ${titlesOf(done)}.`] : []),
		...(skipped.length > 0 ? [`Not started: ${titlesOf(skipped)}.`] : []),
	].join(" ");
}

function titlesOf(steps: readonly SkillStep[]): string {
	return steps.map(({ title }) => title).join(", ");
}

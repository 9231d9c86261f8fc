import type { EventPayloads } from "@parley/protocol";
import type { Look, Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

/** The steps of a task or a run, all in their order. */
export type Plan = EventPayloads["todo.updated"]["plan"];

const marks: Readonly<Record<Plan[number]["status"], [mark: string, style: keyof Styles]>> = {
	pending: ["·", "dim"],
	in_progress: ["▸", "cyan"],
	completed: ["✓", "green"],
	skipped: ["-", "dim"],
};

/** The steps, each with a mark for its state. */
export function planRows(plan: Plan, { columns, styles }: Look): string[] {
	return plan.flatMap(({ title, status }) => {
		const [mark, style] = marks[status];
		const words = `${visibleLine(title)}${status === "skipped" ? " (skipped)" : ""}`;
		return wrapText(words, columns - 2).map((row, index) =>
			styles[style](`${index === 0 ? mark : " "} ${row}`),
		);
	});
}

/** The steps that differ from the earlier plan: all if their titles differ, otherwise those with another state. */
export function changedSteps(before: Plan | undefined, after: Plan): Plan {
	const isSame =
		before?.length === after.length && after.every(({ title }, at) => title === before[at]?.title);
	return isSame ? after.filter(({ status }, at) => status !== before[at]?.status) : after;
}

/** Why a try of a step of a workflow failed; nothing for a try that succeeded. */
export function failedTryRows(
	step: EventPayloads["skill.step.completed"],
	{ columns, styles }: Look,
): string[] {
	if (step.error === "") return [];
	const next = step.will_retry ? "; trying again" : "";
	const words = `${visibleLine(step.step_title)}: ${visibleLine(step.error)}${next}`;
	return wrapText(words, columns - 2).map((row, index) => styles.yellow(`${index === 0 ? "!" : " "} ${row}`));
}

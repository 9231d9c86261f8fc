import { definedItems } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import { taskTexts } from "../../texts/tasks.ts";
import { oneLine, plainLine } from "../vocabulary/plain.ts";
import { lengthOf } from "./length-of.ts";

type Plan = EventPayloads["todo.updated"]["plan"];

/** A step of a task or a run. Its title has one line of limited length. */
export type PlanStep = Plan[number];

const maxTitle = 120;
const maxShown = 12;

const signs: Readonly<Record<PlanStep["status"], string>> = {
	pending: "⬜",
	in_progress: "▶️",
	completed: "✅",
	skipped: "➖",
};

/** Returns the steps of a plan for the conversation's state. Each title has one line of limited length. */
export function stepsOf(plan: Plan): PlanStep[] {
	return plan.map((step) => ({ ...step, title: oneLine(step.title, maxTitle) }));
}

/** Returns one line of Markdown for each step. A long list is reduced to the lines around the first incomplete step. */
export function stepLines(steps: readonly PlanStep[]): string[] {
	const at = steps.findIndex(({ status }) => status === "in_progress" || status === "pending");
	const current = at < 0 ? steps.length - 1 : at;
	const first = Math.max(0, Math.min(current - maxShown / 2, steps.length - maxShown));
	const shown = steps.slice(first, first + maxShown);
	const after = steps.length - first - shown.length;
	return definedItems([
		first > 0 ? taskTexts.stepsBefore({ count: first }) : undefined,
		...shown.map(lineOf),
		after > 0 ? taskTexts.stepsAfter({ count: after }) : undefined,
	]);
}

const nanosecondsPerMs = 1_000_000;

function lineOf({ title, status, duration = 0 }: PlanStep): string {
	const line = `${signs[status]} ${plainLine(title, maxTitle)}`;
	const ms = duration / nanosecondsPerMs;
	return ms < 1_000 ? line : taskTexts.stepTook({ line, time: lengthOf(ms) });
}

import type { EventPayloads } from "@parley/protocol";
import { shortId } from "../command-line/ids.ts";
import type { OutputFormat, Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";
import type { Task } from "./task.ts";

/** Returns the command that replies to a suspended task. */
export function replyWords(id: string): string {
	return eventTexts.howToReply({ id: visibleLine(id) });
}

/** Returns the command that answers the open questions of a session. */
export function chatReplyWords(sessionId: string): string {
	return eventTexts.howToReplyInChat({ session: visibleLine(sessionId) });
}

/**
 * Returns the number of completed steps, the number of all steps, and the title of the current step, for example
 * `2/5 Running tests`. Returns "" for a task with a single step.
 */
export function stepWords({ current_step, total_steps, current_step_label }: Task["progress"]): string {
	if (total_steps <= 1) return "";
	return `${current_step}/${total_steps} ${visibleLine(current_step_label)}`.trimEnd();
}

/** Returns a worker's event in one line. */
export function workerWords(worker: EventPayloads["internal.worker"]): string {
	const id = shortId(worker.task_id);
	switch (worker.event) {
		case "started":
			return eventTexts.workerStarted({ id, title: worker.title, agent: worker.agent });
		case "phase":
			return `${id} ${worker.phase}`;
		case "failed":
			return `${id} failed: ${worker.error}`;
		case "completed":
		case "exited":
			return `${id} ${worker.event}`;
	}
}

/** All steps of a task or a run, in order. */
export type Plan = EventPayloads["todo.updated"]["plan"];

const marks: Readonly<Record<Plan[number]["status"], [mark: string, style: keyof Styles]>> = {
	pending: ["·", "dim"],
	in_progress: ["▸", "cyan"],
	completed: ["✓", "green"],
	skipped: ["-", "dim"],
};

/** Returns the rows of the steps, each with a mark for its state. */
export function planRows(plan: Plan, { columns, styles }: OutputFormat): string[] {
	return plan.flatMap(({ title, status, duration }) => {
		const [mark, style] = marks[status];
		const skipped = status === "skipped" ? " (skipped)" : "";
		const words = `${visibleLine(title)}${skipped}${tookWords(duration)}`;
		return wrapText(words, columns - 2).map((row, index) =>
			styles[style](`${index === 0 ? mark : " "} ${row}`),
		);
	});
}

const nanosecondsPerSecond = 1_000_000_000;

/**
 * Returns the duration in parentheses. Returns "" for less than half a second and for an unknown duration.
 * `duration` is in nanoseconds.
 */
function tookWords(duration = 0): string {
	const seconds = Math.round(duration / nanosecondsPerSecond);
	if (seconds === 0) return "";
	return seconds < 60 ? ` (${seconds}s)` : ` (${Math.floor(seconds / 60)}m ${seconds % 60}s)`;
}

/**
 * Returns the steps that differ from the earlier plan: all steps if the titles differ, otherwise the steps with a
 * new state.
 */
export function changedSteps(before: Plan | undefined, after: Plan): Plan {
	const isSame =
		before?.length === after.length && after.every(({ title }, at) => title === before[at]?.title);
	return isSame ? after.filter(({ status }, at) => status !== before[at]?.status) : after;
}

/**
 * Returns rows with the reason for a failed attempt of a workflow step. Returns none for a successful attempt.
 */
export function failedTryRows(
	step: EventPayloads["skill.step.completed"],
	{ columns, styles }: OutputFormat,
): string[] {
	if (step.error === "") return [];
	const next = step.will_retry ? eventTexts.tryingAgain : "";
	const words = `${visibleLine(step.step_title)}: ${visibleLine(step.error)}${next}`;
	return wrapText(words, columns - 2).map((row, index) => styles.yellow(`${index === 0 ? "!" : " "} ${row}`));
}

const full = "█";

const empty = "░";

/**
 * Returns a progress bar with the percentage, for example `████░░░░░░  40%`. The last cell is filled only at
 * 100 %.
 */
export function progressBar(percentage: number, width: number): string {
	const percent = Math.min(100, Math.max(0, Math.floor(percentage)));
	const filled = Math.floor((percent * width) / 100);
	return `${full.repeat(filled)}${empty.repeat(width - filled)} ${String(percent).padStart(3)}%`;
}

import type { SchedulePayload } from "@parley/protocol";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

/** Each schedule as one line of facts, with its title, its prompt and why it did not fire below. `now` is in milliseconds. */
export function scheduleRows(
	schedules: readonly SchedulePayload[],
	now: number,
	{ columns, styles }: Look,
): string[] {
	return schedules.flatMap((schedule) => {
		const { entry_id, title, prompt, when, owner, show, next_due, last_fired_at, problem } = schedule;
		const next = next_due === undefined ? [] : [`next due ${minuteOf(next_due)}`];
		const last = last_fired_at === undefined ? [] : [`fired ${timeAgo(Date.parse(last_fired_at), now)}`];
		const facts = [...next, ...last, show, `by ${owner}`].join(", ");
		const text = title === prompt ? prompt : `${title}: ${prompt}`;
		const why = problem === undefined ? [] : [styles.yellow(`did not fire: ${visibleLine(problem)}`)];
		return [
			`${entry_id}  ${visibleLine(when)}`,
			...[styles.dim(visibleLine(facts)), visibleLine(text), ...why].flatMap((line) =>
				wrapText(`  ${line}`, columns),
			),
		];
	});
}

/** `2026-11-25T09:00:00.000Z` as people read it. */
function minuteOf(time: string): string {
	return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

import { expect, test } from "vitest";
import { cronOf, dailyPlans, expectedTimes, timeOf, yearEnd, yearStart } from "../../testing/wall-times.ts";
import { nextDue } from "../../text/schedule-times.ts";

test.each(dailyPlans)("every due time of a year at $hour:$minute in $timeZone is right", (plan) => {
	const trigger = { kind: "cron", cron: cronOf(plan), timeZone: plan.timeZone } as const;
	const due: string[] = [];
	for (
		let at = nextDue(trigger, yearStart, yearStart);
		at !== undefined && at < yearEnd;
		at = nextDue(trigger, at, yearStart)
	) {
		due.push(timeOf(at));
	}
	expect(due).toEqual(expectedTimes(plan));
	expect(due.length).toBeGreaterThanOrEqual(364);
});

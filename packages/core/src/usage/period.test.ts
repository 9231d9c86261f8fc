import { expect, test } from "vitest";
import { dayOf, daysOf, nextStart } from "./period.ts";

const at = (text: string): number => Date.parse(text);

test.each([
	["2026-01-31T23:59:59.999Z", "2026-01-31", "2026-02-01", "2026-02-01"],
	["2026-02-01T00:00:00.000Z", "2026-02-01", "2026-02-02", "2026-03-01"],
	["2026-02-28T12:00:00.000Z", "2026-02-28", "2026-03-01", "2026-03-01"],
	["2028-02-28T12:00:00.000Z", "2028-02-28", "2028-02-29", "2028-03-01"],
	["2026-12-31T23:59:59.999Z", "2026-12-31", "2027-01-01", "2027-01-01"],
	["2026-07-01T01:00:00.000+02:00", "2026-06-30", "2026-07-01", "2026-07-01"],
])("%s is in the UTC day %s, and the next ones begin on %s and %s", (time, day, nextDay, nextMonth) => {
	expect(dayOf(at(time))).toBe(day);
	expect(nextStart("day", at(time))).toBe(at(`${nextDay}T00:00:00Z`));
	expect(nextStart("month", at(time))).toBe(at(`${nextMonth}T00:00:00Z`));
	expect(daysOf("day", at(time))).toEqual({ first: day, last: day });
	const { first, last } = daysOf("month", at(time));
	expect(first <= day && day <= last && nextMonth > last).toBe(true);
});

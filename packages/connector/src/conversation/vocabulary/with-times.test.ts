import { expect, test } from "vitest";
import { isOnce, plainWithTimes } from "./with-times.ts";

const platform = { moment: (at: number, from?: number) => `<${at} after ${from}>` };

test.each([
	["every day at 09:00 (Europe/Berlin)", "every day at 09:00 (Europe/Berlin)"],
	["at 1970-01-01T00:00:05.000Z", "<5000 after 1>"],
	[
		"the budget is spent; it resets at 1970-01-01 01:00 UTC; *ask* the operator",
		"the budget is spent; it resets <3600000 after 1>; \\*ask\\* the operator",
	],
	["at 1970-01-01 00:00 UTC, at 1970-01-01 00:01 UTC", "<0 after 1>, <60000 after 1>"],
	["at 9999-99-99 00:00 UTC", "at 9999-99-99 00:00 UTC"],
])("in %j, times of the gateway are relative", (text, shown) => {
	expect(plainWithTimes(text, 600, { platform, from: 1 })).toBe(shown);
});

test("only a schedule that runs once names its time first", () => {
	expect([
		isOnce("at 1970-01-01T00:00:05.000Z"),
		isOnce("every day at 9:00"),
		isOnce("on task.failed"),
	]).toEqual([...[true, false, false]]);
});

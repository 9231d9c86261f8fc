import { expect, test } from "vitest";
import { checkClockOf } from "./check-clock.ts";

const clocks = { id: "slack-clock", platform: "Slack", ownTime: 1_000_000 };

test.each([
	[undefined, "ok", "the clock was not checked: Slack did not send its time"],
	[1_030_000, "ok", "the clock of this machine agrees with Slack"],
	[969_000, "warn", "the clock of this machine differs from Slack's by 30 seconds"],
	[1_301_000, "fail", "the clock of this machine differs from Slack's by 300 seconds"],
])("a platform with a time that is %s gives the status %s", (theirTime, status, what) => {
	expect(checkClockOf({ ...clocks, theirTime })).toMatchObject({ id: "slack-clock", status, what });
});

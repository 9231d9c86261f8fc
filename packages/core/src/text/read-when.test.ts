import { expect, test } from "vitest";
import type { Trigger } from "../vocabulary/schedule.ts";
import { readWhen, whenText } from "./schedule-times.ts";

const now = Date.UTC(2026, 0, 1);
const at = { now, timeZone: "Europe/Berlin" };

const cron = (text: string): Trigger => ({ kind: "cron", cron: text, timeZone: "Europe/Berlin" });
const interval = (everyMs: number): Trigger => ({ kind: "interval", everyMs });
const once = (time: string): Trigger => ({ kind: "once", at: Date.parse(time) });

test.each<[string, Trigger]>([
	["every day at 9:00", cron("0 9 * * *")],
	["Every  weekday at 09:30", cron("30 9 * * 1-5")],
	["every monday at 5pm", cron("0 17 * * 1")],
	["every sundays at 12am", cron("0 0 * * 0")],
	["every 2 hours", interval(7_200_000)],
	["every day", interval(86_400_000)],
	["every week", interval(604_800_000)],
	["in 30 minutes", once("2026-01-01T00:30:00Z")],
	["in 1 day", once("2026-01-02T00:00:00Z")],
	["at 2026-07-01 09:00", once("2026-07-01T07:00:00Z")],
	["2026-07-01T09:00", once("2026-07-01T07:00:00Z")],
	["at 2026-07-01T09:00:00+09:00", once("2026-07-01T00:00:00Z")],
	["at 2026-07-01T09:00:00Z", once("2026-07-01T09:00:00Z")],
	["on task.failed", { kind: "event", event: "task.failed" }],
	["0 9 * * 1-5", cron("0 9 * * 1-5")],
	["cron */15 * * * *", cron("*/15 * * * *")],
	["0 9 * * mon", cron("0 9 * * mon")],
])("%s is read as its trigger", (text, trigger) => {
	expect(readWhen(text, at)).toEqual(trigger);
});

test.each<[string, string]>([
	["", 'when: "" is not understood. Write "every day at 9:00"'],
	["sometime next week please now", 'when: "sometime next week please now" is not understood'],
	["every day at 25:00", 'when: "every day at 25:00" is not understood'],
	["every 30 seconds", 'when: "every 30 seconds" is not understood'],
	["every 0 minutes", "interval: 0 seconds is not allowed: use 60 seconds to 366 days"],
	["every 400 days", "interval: 34560000 seconds is not allowed"],
	["at 2025-07-01 09:00", "at: 2025-07-01T07:00:00.000Z is in the past"],
	["at 2099-07-01 09:00", "is too far away"],
	["at 2026-13-01 09:00", 'when: "at 2026-13-01 09:00" is not understood'],
	["on tool.call", 'event: "tool.call" cannot start a schedule: use one of user.message'],
	["61 * * * *", 'cron: "61 * * * *" is not valid'],
	["0 9 30 2 *", 'cron: "0 9 30 2 *" is never due'],
])("%s is refused", (text, message) => {
	expect(() => readWhen(text, at)).toThrow(message);
});

test("an unknown time zone is refused with its name", () => {
	const far = { now, timeZone: "Mars/Olympus" };
	expect(() => readWhen("every day at 9:00", far)).toThrow('time_zone: "Mars/Olympus" is unknown');
});

test("the text of a trigger can be parsed again", () => {
	const triggers = [interval(7_200_000), interval(604_800_000), once("2026-07-01T07:00:00.000Z")];
	for (const trigger of triggers) expect(readWhen(whenText(trigger), at)).toEqual(trigger);
	expect(whenText(cron("0 9 * * *"))).toBe("cron 0 9 * * * (Europe/Berlin)");
});

import { expect, test } from "vitest";
import { noteTexts, scheduleTimeTexts } from "./texts.ts";

test("a text about one thing is in the singular", () => {
	expect(scheduleTimeTexts.interval(1, 60, 366)).toMatch(
		/^interval: 1 second is not allowed: use 60 seconds/,
	);
	expect(scheduleTimeTexts.interval(30, 60, 366)).toMatch(/^interval: 30 seconds is not allowed: /);
	expect(noteTexts.moreNotes(1)).toMatch(/^1 more note does not fit here: /);
	expect(noteTexts.moreNotes(2)).toMatch(/^2 more notes do not fit here: /);
});

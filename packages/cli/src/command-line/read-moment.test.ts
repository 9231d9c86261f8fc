import { expect, test } from "vitest";
import { readMoment } from "./read-moment.ts";

const now = Date.UTC(2026, 2, 14, 12);

test.each([
	["30m", "2026-03-14T11:30:00.000Z"],
	["12h", "2026-03-14T00:00:00.000Z"],
	["2d", "2026-03-12T12:00:00.000Z"],
	["1w", "2026-03-07T12:00:00.000Z"],
	["2026-03-01", "2026-03-01T00:00:00.000Z"],
	["2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000Z"],
])("reads the time %s", (text, time) => {
	expect(readMoment(text, now)).toBe(time);
});

test.each(["", "yesterday", "2", "2y", "-2d", "2026", "2026-13-01", "2026-03-14 10:00x"])(
	"rejects the time %j",
	(text) => {
		expect(() => readMoment(text, now)).toThrow("invalid time");
	},
);

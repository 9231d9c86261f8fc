import { expect, test } from "vitest";
import { retryAfterMs } from "./errors.ts";

const now = Date.UTC(2026, 10, 20, 12, 0, 0);

test.each([
	["7", 7000],
	[" 7 ", 7000],
	["0.5", 500],
	["1e9", 1e12],
	["1000000000", 1e12],
	["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
	["0", undefined],
	["-3", undefined],
	["1e400", undefined],
	["0x10", undefined],
	["Infinity", undefined],
	["soon", undefined],
	["7 apples", undefined],
	["", undefined],
	["Fri, 20 Nov 2026 11:59:59 GMT", undefined],
	["Fri, 99 Nov 2026 12:00:30 GMT", undefined],
	["20 November 2026", undefined],
])("`retry-after: %s` means %j ms", (value, expected) => {
	expect(retryAfterMs(new Headers({ "retry-after": value }), now)).toBe(expected);
});

test("milliseconds have precedence over seconds if they are valid", () => {
	const both = (ms: string) => new Headers({ "retry-after-ms": ms, "retry-after": "7" });
	expect(retryAfterMs(both("250"), now)).toBe(250);
	expect(retryAfterMs(both("-1"), now)).toBe(7000);
	expect(retryAfterMs(new Headers(), now)).toBe(undefined);
});

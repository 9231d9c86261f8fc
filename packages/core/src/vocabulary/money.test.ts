import { expect, test } from "vitest";
import { billionths, dollars, formatDollars } from "./usage.ts";

test.each([
	[0, 0, "$0.00"],
	[1, 0.000000001, "$0.000000001"],
	[3_000_000, 0.003, "$0.003"],
	[999_999_999, 0.999999999, "$0.999999999"],
	[10_000_000_000, 10, "$10.00"],
	[10_021_345_500, 10.0213455, "$10.02"],
	[1_234_567_000_000_001, 1_234_567.000000001, "$1,234,567.00"],
])("%i billionths are %d dollars, written %s", (cost, usd, text) => {
	expect(dollars(cost)).toBe(usd);
	expect(billionths(usd)).toBe(cost);
	expect(formatDollars(cost)).toBe(text);
});

test("sums of cents have no rounding errors", () => {
	expect(billionths(0.1 + 0.2)).toBe(300_000_000);
	expect(String(dollars(100_000_000 + 200_000_000))).toBe("0.3");
});

import { expect, test } from "vitest";
import { formatCount, formatRoughly, formatUsd } from "./amounts.ts";

test.each([
	[0, "$0.00"],
	[0.000_000_001, "<$0.0001"],
	[0.000_1, "$0.0001"],
	[0.012_34, "$0.0123"],
	[0.1, "$0.10"],
	[0.996, "$1.00"],
	[4.1, "$4.10"],
	[1234.5, "$1,234.50"],
	[1_000_000, "$1,000,000.00"],
])("%d dollars are %s", (usd, text) => {
	expect(formatUsd(usd)).toBe(text);
});

test.each([
	[0, "0"],
	[999, "999"],
	[1000, "1k"],
	[12_345, "12.3k"],
	[99_960, "100k"],
	[999_499, "999k"],
	[999_500, "1M"],
	[2_340_000, "2.3M"],
])("%d is roughly %s", (count, text) => {
	expect(formatRoughly(count)).toBe(text);
});

test("counts are told exactly", () => {
	expect(formatCount(1_234_567)).toBe("1,234,567");
});

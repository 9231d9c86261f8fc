import { expect, test } from "vitest";
import { formatUsd, formatUsdLimit } from "./usd.ts";

test.each([
	[0, "$0.00"],
	[0.000_000_001, "<$0.01"],
	[0.004_9, "<$0.01"],
	[0.005, "$0.01"],
	[0.012_34, "$0.01"],
	[0.1, "$0.10"],
	[0.996, "$1.00"],
	[4.1, "$4.10"],
	[1234.5, "$1,234.50"],
	[1_000_000, "$1,000,000.00"],
])("formats %d dollars as %s", (usd, text) => {
	expect(formatUsd(usd)).toBe(text);
});

test.each([
	[0, "$0.00"],
	[0.005, "$0.005"],
	[0.000_000_001, "$0.000000001"],
	[5, "$5.00"],
	[1234.5, "$1,234.50"],
	[1_000_000.125, "$1,000,000.125"],
])("formats a limit of %d dollars as %s", (usd, text) => {
	expect(formatUsdLimit(usd)).toBe(text);
});

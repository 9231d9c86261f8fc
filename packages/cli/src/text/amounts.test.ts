import { expect, test } from "vitest";
import { formatBytes, formatCount, formatRoughly, plural } from "./amounts.ts";

test.each([
	[0, "0"],
	[999, "999"],
	[1000, "1k"],
	[12_345, "12.3k"],
	[99_960, "100k"],
	[999_499, "999k"],
	[999_500, "1M"],
	[2_340_000, "2.3M"],
])("formats %d approximately as %s", (count, text) => {
	expect(formatRoughly(count)).toBe(text);
});

test("formats exact counts", () => {
	expect(formatCount(1_234_567)).toBe("1,234,567");
});

test.each([
	[0, "0 B"],
	[999, "999 B"],
	[1_000, "1.0 kB"],
	[12_345_678, "12.3 MB"],
	[5e15, "5000.0 TB"],
])("formats %d bytes as %s", (bytes, text) => {
	expect(formatBytes(bytes)).toBe(text);
});

test("uses the plural of a noun", () => {
	expect([0, 1, 2_000].map((count) => plural(count, "file"))).toEqual(["0 files", "1 file", "2,000 files"]);
});

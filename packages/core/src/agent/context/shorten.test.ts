import { expect, test } from "vitest";
import { cutLine, shortenMiddle, shortenTo } from "./shorten.ts";

test("a text that is slightly too long stays unchanged", () => {
	expect(shortenMiddle("x".repeat(160), 100)).toBe("x".repeat(160));
});

test("head and tail stay, with a marker between them", () => {
	const text = `${"a".repeat(500)}${"b".repeat(500)}`;
	expect(shortenMiddle(text, 100)).toBe(
		`${"a".repeat(60)}\n[… 900 characters left out …]\n${"b".repeat(40)}`,
	);
});

test("no character is split", () => {
	for (let characters = 0; characters < 40; characters++) {
		expect(shortenMiddle("😀".repeat(200), characters).isWellFormed()).toBe(true);
		expect(cutLine("😀".repeat(30), characters).isWellFormed()).toBe(true);
	}
});

test("one line contains no line breaks, and ends at its limit", () => {
	expect(cutLine(" a\n\n\tb  c ", 10)).toBe("a b c");
	expect(cutLine("abcdef", 3)).toBe("abc…");
});

test("a text is shortened until it fits, if necessary to nothing", () => {
	const measure = (text: string): number => text.length;
	expect(shortenTo("x".repeat(2_000), 2_000, measure)).toHaveLength(2_000);
	const shown = shortenTo("x".repeat(2_000), 300, measure);
	expect(shown.length).toBeLessThanOrEqual(300);
	expect(shown.length).toBeGreaterThan(150);
	expect(shortenTo("x".repeat(2_000), 10, measure)).toBe("");
});

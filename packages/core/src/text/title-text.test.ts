import { expect, test } from "vitest";
import { titleFrom } from "./title-text.ts";

test.each([
	["Garden plans", "Garden plans"],
	['  "Garden plans."  \nmore', "Garden plans"],
	["\n\n## **Title: Garden plans**", "Garden plans"],
	["「庭の計画」。", "庭の計画"],
	["write:\tnote.txt\u3000<<< hello", "write: note.txt <<< hello"],
	["a\u001b[31mred\u202egnol\u200b", "a[31mredgnol"],
	["👩‍💻 and ✈️", "👩‍💻 and ✈️"],
	["\u200b\u2028 ... \u202e", ""],
	["\n \u0000 \n", ""],
	['"""', ""],
])("%j becomes the title %j", (text, title) => {
	expect(titleFrom(text)).toBe(title);
});

test("a long line is cut after a word, or inside a long word, but not within a character", () => {
	expect(titleFrom("word ".repeat(40))).toBe(`${"word ".repeat(11).trimEnd()}…`);
	expect(titleFrom("東".repeat(100))).toBe(`${"東".repeat(59)}…`);
	expect(titleFrom("👩‍💻".repeat(61))).toBe(`${"👩‍💻".repeat(59)}…`);
	expect(titleFrom("x".repeat(60))).toBe("x".repeat(60));
});

import { expect, test } from "vitest";
import { beginning } from "./beginning.ts";

const family = "👨‍👩‍👧‍👦";
const flag = "🇫🇷";

test.each([
	["plain text", "abcdef", 3, "abc"],
	["a text that fits", "abc", 3, "abc"],
	["a character of two code units", "ab😀", 3, "ab"],
	["a family", `ab${family}c`, 2 + family.length - 1, "ab"],
	["a whole family", `ab${family}c`, 2 + family.length, `ab${family}`],
	["an accent", "ae\u0301x", 2, "a"],
	["a line break", "a\r\nb", 2, "a"],
	["flags, which are pairs of equal halves", flag.repeat(100), 4 * 50 + 2, flag.repeat(50)],
	["flags behind a letter", `a${flag.repeat(100)}`, 1 + 4 * 50 + 3, `a${flag.repeat(50)}`],
])("%s is cut between characters", (_, text, length, expected) => {
	expect(beginning(text, length)).toBe(expected);
});

test("a character that is longer than the limit is cut between its code points", () => {
	const pile = `e${"\u0301".repeat(500)}`;
	expect(beginning(pile, 100)).toBe(pile.slice(0, 100));
	expect(beginning("😀".repeat(3), 1)).toBe("");
	expect(beginning("\u200d😀".repeat(200), 4)).not.toBe("");
	for (let length = 0; length < 40; length++)
		expect(beginning(family.repeat(3), length).isWellFormed()).toBe(true);
});

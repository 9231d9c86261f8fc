import { expect, test } from "vitest";
import { occurrences } from "./edit-file.ts";

test.each<[text: string, part: string, places: number[]]>([
	["", "a", []],
	["abc", "a", [0]],
	["abc", "c", [2]],
	["abc", "abcd", []],
	["aaaa", "aa", [0, 1, 2]],
	["abcabcabd", "abcabd", [3]],
	["ababab", "abab", [0, 2]],
	["🌱🌿🌱", "🌱", [0, 4]],
	["a\nb\na\nb", "a\nb", [0, 4]],
])("%j contains %j at %j", (text, part, places) => {
	expect(occurrences(text, part)).toEqual(places);
});

test("texts that are designed to be slow are as fast as others", () => {
	const half = "a".repeat(64 * 1024);
	const text = "a".repeat(256 * 1024);
	expect(occurrences(text, `${half}b${half}`)).toEqual([]);
	expect(occurrences(text, half)).toHaveLength(text.length - half.length + 1);
}, 1_500);

import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { cutText } from "./cut-text.ts";

test("a text that fits stays unchanged, and a longer one ends in an ellipsis after a complete character", () => {
	expect(cutText("abc", 3)).toBe("abc");
	expect(cutText("abcd", 3)).toBe("ab…");
	expect(cutText("ab cd", 4)).toBe("ab…");
	expect(cutText("a👩‍👩‍👧b", 5)).toBe("a…");
	expect(cutText("👍👍👍", 3, (part) => [...part].length)).toBe("👍👍👍");
	expect(cutText("👍👍👍", 2, (part) => [...part].length)).toBe("👍…");
});

test("a shortened text has at most the maximum, and ends after a complete character", () => {
	const unit = fc.constantFrom("a", " ", "é", "e\u0301", "👍", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "\ud83d");
	const byCodePoint = (part: string): number => [...part].length;
	const byUnit = (part: string): number => part.length;
	const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
	fc.assert(
		fc.property(
			fc.string({ unit, maxLength: 30 }),
			fc.nat(20),
			fc.constantFrom(byCodePoint, byUnit),
			(text, maximum, lengthOf) => {
				const cut = cutText(text, maximum, lengthOf);
				expect(lengthOf(cut)).toBeLessThanOrEqual(maximum);
				if (cut === text || cut === "") return;
				const beginning = cut.slice(0, -1);
				const ends = [
					0,
					...[...characters.segment(text)].map(({ index, segment }) => index + segment.length),
				];
				// `cutText` omits spaces before the cut.
				const end = beginning.length + (/^\s*/.exec(text.slice(beginning.length))?.[0].length ?? 0);
				expect(text.startsWith(beginning)).toBe(true);
				expect(ends.some((at) => at >= beginning.length && at <= end)).toBe(true);
			},
		),
	);
});

test("a text that does not fit is empty if there is no space for the ellipsis", () => {
	expect(cutText("abc", 0)).toBe("");
	expect(cutText("abc", 1)).toBe("…");
	expect(cutText("", 0)).toBe("");
});

import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";

test("a text that fits stays unchanged, and a longer one ends in an ellipsis after a complete character", () => {
	expect(cutText("abc", 3)).toBe("abc");
	expect(cutText("abcd", 3)).toBe("ab…");
	expect(cutText("ab cd", 4)).toBe("ab…");
	expect(cutText("a👩‍👩‍👧b", 5)).toBe("a…");
	expect(cutText("👍👍👍", 3, (part) => [...part].length)).toBe("👍👍👍");
	expect(cutText("👍👍👍", 2, (part) => [...part].length)).toBe("👍…");
});

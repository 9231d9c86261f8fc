import { expect, test } from "vitest";
import { shorten } from "./shorten.ts";

test.each([
	["what fits stays", "0123456789", 10, "0123456789"],
	["what does not fit ends in an ellipsis", "0123456789a", 10, "012345678…"],
	["wide characters count twice", "日本語のテキスト", 10, "日本語の…"],
	["no blank stands before the ellipsis", "one two three", 9, "one two…"],
])("%s", (_, text, columns, short) => {
	expect(shorten(text, columns)).toBe(short);
});

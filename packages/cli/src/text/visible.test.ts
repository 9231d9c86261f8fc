import { expect, test } from "vitest";
import { visibleLine, visibleOutput, visibleProgress, visibleText } from "./visible.ts";

test.each([
	["a terminal escape", "\u001b[31mred\u001b[0m", "\\u{1b}[31mred\\u{1b}[0m"],
	["an eight-bit escape", "\u009b2J", "\\u{9b}2J"],
	["a carriage return that would overwrite the line", "safe\rrm -rf", "safe\\u{d}rm -rf"],
	["backspaces", "ab\b\bcd", "ab\\u{8}\\u{8}cd"],
	["a window title", "\u001b]0;owned\u0007", "\\u{1b}]0;owned\\u{7}"],
	["a reversed reading direction", "a\u202eb", "a\\u{202e}b"],
	["invisible letters", "a\u200bb\u{e0041}", "a\\u{200b}b\\u{e0041}"],
	["a line separator", "a\u2028b", "a\\u{2028}b"],
])("escapes %s", (_, text, shown) => {
	expect(visibleText(text)).toBe(shown);
});

test("keeps words of all scripts, emoji, line breaks and tabs", () => {
	const text = "naïve 日本語 \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f\n\tمی\u200cخواهم";
	expect(visibleText(text)).toBe(text);
});

test("reads CRLF as a line break", () => {
	expect(visibleText("one\r\ntwo\r\n")).toBe("one\ntwo\n");
});

test("the output of a program loses its colours, but no text and no other escape sequence", () => {
	const output = "\u001b[1;32mok\u001b[0m\u001b[K\r\n10 %\r20 %\r\n\u001b[2J\u001b[8mhidden\u0007\u001b";
	expect(visibleOutput(output)).toBe("ok\n10 %\n20 %\n\\u{1b}[2Jhidden\\u{7}\\u{1b}");
	expect(visibleProgress(output)).toBe("ok\n20 %\n\\u{1b}[2Jhidden\\u{7}\\u{1b}");
	expect(visibleProgress("1 %\r2 %\r")).toBe("2 %");
});

test("keeps text in one line", () => {
	expect(visibleLine("one\ntwo\tthree\u001b")).toBe("one\\ntwo three\\u{1b}");
});

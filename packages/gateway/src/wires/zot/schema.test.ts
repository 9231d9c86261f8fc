import { expect, test } from "vitest";
import { decodeCommand } from "./codec.ts";
import { encodedBytes, encodeJson } from "./schema.ts";

const mebibyte = 1024 * 1024;

test("a line contains no other line end", () => {
	expect(encodeJson({ text: "a\u2028b\u2029c\nd" })).toBe('{"text":"a\\u2028b\\u2029c\\nd"}');
	expect(encodedBytes("ü\u2028")).toBe(2 + 2 + 6);
});

test.each([
	["\u2028", 2, "command"],
	["\u2028", 3, "refused"],
	["ü", 7, "command"],
	["ü", 8, "refused"],
])("a message of %j, %d Mi of them, is a %s: the limit applies to its encoded form", (char, length, kind) => {
	const message = char.repeat(length * mebibyte);
	expect(decodeCommand(JSON.stringify({ type: "prompt", message })).kind).toBe(kind);
});

import { expect, test } from "vitest";
import { PlainJsonText } from "./replies/live-reply.ts";

function inPieces(text: string, length: number): string {
	const plain = new PlainJsonText();
	let out = "";
	for (let at = 0; at < text.length; at += length) out += plain.push(text.slice(at, at + length));
	return out + plain.end();
}

test.for<[what: string, written: string, plain: string]>([
	["a letter", String.raw`{"a":"\u0073ecret"}`, '{"a":"secret"}'],
	["a slash", String.raw`"a\/b"`, '"a/b"'],
	["a quote and a backslash", String.raw`"\u0022\u005C\\u0041"`, String.raw`"\"\\\\u0041"`],
	["a line break", String.raw`"\u000a\n\t"`, String.raw`"\n\n\t"`],
	["a surrogate pair", String.raw`"\ud83d\uDE00"`, '"😀"'],
	["half a character", String.raw`"\ud83d\u0041\ude00"`, String.raw`"\ud83dA\ude00"`],
	["a text that is not an escape", String.raw`"\x \uZZ12 \u12"`, String.raw`"\x \uZZ12 \u12"`],
	["an open escape", String.raw`"\u00`, String.raw`"\u00`],
	["half a character before an open escape", String.raw`"\ud83d\u0`, String.raw`"\ud83d\u0`],
])("%s is written in its usual form, at any cut of the text", ([, written, plain]) => {
	for (let length = 1; length <= written.length; length++) expect(inPieces(written, length)).toBe(plain);
});

test("many backslashes take linear time", () => {
	const text = `"${"\\\\".repeat(500_000)}"`;
	expect(inPieces(text, 1_000_001)).toBe(text);
});

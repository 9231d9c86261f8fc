import { lookAlikeTexts } from "./texts.ts";

/**
 * Pattern of invisible or misleading characters:
 * - control, format, private and unassigned characters
 * - lone surrogates and ignorable characters
 * - all spaces except the plain one, and the blank braille pattern
 * - a backslash before `u{`
 */
const UNSEEN =
	/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}|\\(?=u\{)/gu;

/**
 * Returns one line that shows each character. An invisible character appears as an escape, for example `\u{202e}`. A
 * backslash before `u{` appears as `\u{5c}`, so the result is unambiguous.
 */
export function visible(text: string): string {
	return text.replaceAll(UNSEEN, escaped);
}

/** Escapes characters like `visible`, but preserves line feeds and tabs. For previews of text. */
export function visibleLines(text: string): string {
	return text.replaceAll(UNSEEN, (character) =>
		character === "\n" || character === "\t" ? character : escaped(character),
	);
}

function escaped(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Pattern of a letter in a script with letters that can look like Latin letters. */
const LOOK_ALIKE =
	/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;

/**
 * Pattern of a full-width or mathematical form of an ASCII character, or of a character that looks like `/`, `.` or `:`
 * in an address.
 */
const DISGUISED =
	/[\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}\u{2024}\u{2044}\u{2215}\u{2236}\u{29f8}\u{a789}\u{3002}\u{ff61}]/gu;

/**
 * Returns notes about words that mix Latin letters with look-alike letters, and about characters that look like other
 * characters. Returns an empty list if the text has neither.
 */
export function mixedScriptNotes(text: string): string[] {
	const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
	const mixed = words.filter((word) => LATIN.test(word) && LOOK_ALIKE.test(word));
	return [
		...noted(lookAlikeTexts.mixedScripts, mixed),
		...noted(lookAlikeTexts.disguised, text.match(DISGUISED) ?? []),
	];
}

function noted(problem: string, found: readonly string[]): string[] {
	const named = [...new Set(found)].slice(0, 3).map((one) => `"${visible(one)}"`);
	return named.length === 0 ? [] : [`${problem}: ${named.join(", ")}`];
}

/** Returns at most the first `max` UTF-16 units of a text. Adds an ellipsis if the text is longer. */
export function shorten(text: string, max: number): string {
	return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

/**
 * Returns the lines of a command's output. If the output lacks a part, `cut` is true, and the result has only the lines
 * before the omitted part. The last line before the omitted part is left out, because it may be incomplete.
 */
export function completeLines({ output }: { readonly output: string }): {
	readonly lines: string[];
	readonly cut: boolean;
} {
	const lines = output.split("\n");
	const cut = lines.findIndex((line) => /^\[… \d+ bytes left out …\]$/.test(line));
	if (cut !== -1) return { lines: lines.slice(0, Math.max(0, cut - 1)), cut: true };
	if (lines.at(-1) === "") lines.pop();
	return { lines, cut: false };
}

import type { PersonNames } from "../../platform/chat-platform.ts";
import { markdownDialect } from "../../text/markdown-dialect.ts";
import { trustTexts } from "../../texts/trust.ts";

const byGrapheme = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns untrusted text in one line of at most `maximum` UTF-16 code units. */
export function oneLine(text: string, maximum: number): string {
	const line = visibleWords(text.trim().replace(/\s+/gu, " "));
	if (line.length <= maximum) return line;
	let beginning = "";
	for (const { segment } of byGrapheme.segment(line)) {
		if (beginning.length + segment.length >= maximum) break;
		beginning += segment;
	}
	return `${beginning.trimEnd()}…`;
}

/**
 * Returns untrusted text in one line, as Markdown without formatting, links or lists. `maximum` limits the
 * text before it is escaped.
 */
export function plainLine(text: string, maximum: number): string {
	const children = [{ type: "text" as const, value: oneLine(text, maximum) }];
	return markdownDialect.write([{ type: "paragraph", children }]);
}

/** Invisible and deceptive characters. A backslash before `u{` is one of them, because it would look like an escape. */
const unseen =
	/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}|\\(?=u\{)/gu;
/** Characters that change the order or the position of other characters. */
const disorderly = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the text of a command or file, with every invisible or deceptive character as its code point, for example
 * `\u{202e}`. Keeps line breaks and tabs.
 */
export function visible(text: string): string {
	return escaped(text, unseen);
}

/** Returns a text as `visible` does, but in one line. The gateway writes its labels in this form. */
export function visibleLine(text: string): string {
	return visible(text).replaceAll("\n", "\\u{a}").replaceAll("\t", "\\u{9}");
}

/**
 * Returns text for people, with control and direction characters as code points. Line breaks, tabs and
 * joiners stay; emoji need joiners.
 */
export function visibleWords(text: string): string {
	return escaped(text, disorderly);
}

function escaped(text: string, pattern: RegExp): string {
	return text.replaceAll(pattern, (character) =>
		character === "\n" || character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
	);
}

/** Whether a text has only spaces, control characters and format characters. Platforms refuse a blank post. */
export function isBlank(text: string): boolean {
	return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/**
 * Returns Markdown that names an acting principal: the person for a chat user, and the operator for any other
 * principal.
 */
export function actingPerson(by: string, { person }: PersonNames): string {
	const id = /^[^:]+:[^:]+:(?<id>[^:]+)$/u.exec(by)?.groups?.["id"];
	return id === undefined ? trustTexts.operator : person(id);
}

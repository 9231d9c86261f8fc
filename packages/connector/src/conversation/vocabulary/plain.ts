import type { PersonNames } from "../../platform/chat-platform.ts";
import { markdownDialect } from "../../text/markdown-dialect.ts";

const byGrapheme = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text of somebody else in one line, at most `most` UTF-16 code units of it. */
export function oneLine(text: string, most: number): string {
	const line = visibleWords(text.trim().replace(/\s+/gu, " "));
	if (line.length <= most) return line;
	let kept = "";
	for (const { segment } of byGrapheme.segment(line)) {
		if (kept.length + segment.length >= most) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}

/** The same as Markdown in which nothing of it formats, links or begins a list. */
export function plain(text: string, most: number): string {
	const children = [{ type: "text" as const, value: oneLine(text, most) }];
	return markdownDialect.write([{ type: "paragraph", children }]);
}

/** What nobody sees, or what looks like something else; and a backslash that would look like the escape of such. */
const unseen =
	/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}|\\(?=u\{)/gu;
/** What changes the order or the place of the characters around it. */
const disorderly = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** What would be run, with every character that cannot be seen as `\u{202e}`; lines and tabs stay. */
export function visible(text: string): string {
	return escaped(text, unseen);
}

/** The same in one line, as the gateway writes its labels. */
export function visibleLine(text: string): string {
	return visible(text).replaceAll("\n", "\\u{a}").replaceAll("\t", "\\u{9}");
}

/** Words for people: joiners stay, because emoji and some scripts need them. */
export function visibleWords(text: string): string {
	return escaped(text, disorderly);
}

function escaped(text: string, pattern: RegExp): string {
	return text.replaceAll(pattern, (character) =>
		character === "\n" || character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
	);
}

/** Whether people would see nothing of a text: platforms refuse posts of that. */
export function isBlank(text: string): boolean {
	return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Who did something, given as the gateway names them: a person of the platform by its own name, everybody else is the operator. */
export function actingPerson(by: string, { person }: PersonNames): string {
	const id = /^[^:]+:[^:]+:(?<id>[^:]+)$/u.exec(by)?.groups?.["id"];
	return id === undefined ? "the operator" : person(id);
}

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

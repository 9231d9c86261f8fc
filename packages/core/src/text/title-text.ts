/** Maximum characters of a title, in graphemes. */
const maxCharacters = 60;

/**
 * Pattern of invisible, private and unassigned characters, and of characters that change the direction of text. Joiners
 * and variation selectors are not included, because emoji and some scripts need them.
 */
const unseen =
	/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u{200c}|\u{200d}|\u{fe0e}|\u{fe0f})[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Pattern of text that a model may write before a title, such as `Title:` and quotation marks. */
const before = /^(?:title:|[\s"'`“”„«»「『#*>_-])+/iu;
const after = /[\s"'`“”„«»」』*_.。]+$/u;

/** Segmenter of graphemes. Created at the first use, because its tables would delay the start of the gateway. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Returns a short title without invisible characters, from the first line with content. Returns "" if no line has
 * content.
 */
export function titleFrom(text: string): string {
	for (const line of text.split(/[\n\r\u{2028}\u{2029}]/u)) {
		const title = oneLine(line).replace(before, "").replace(after, "");
		if (title !== "") return shortened(title);
	}
	return "";
}

/** Returns a text as one trimmed line without invisible characters. */
export function oneLine(text: string): string {
	return text.replaceAll(/\s+/gu, " ").replaceAll(unseen, "").trim();
}

/**
 * Returns the title with at most `maxCharacters` characters, including the ellipsis. Cuts at the last space if the
 * space is in the second half.
 */
function shortened(title: string): string {
	// A grapheme has at least one UTF-16 unit, and at most a few dozen in real text.
	graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	const characters = Array.from(graphemes.segment(title.slice(0, 2_000)), ({ segment }) => segment);
	if (characters.length <= maxCharacters) return characters.join("");
	const max = characters.slice(0, maxCharacters - 1);
	const end = max.lastIndexOf(" ");
	return `${max.slice(0, end > maxCharacters / 2 ? end : undefined).join("")}…`;
}

/** Maximum characters of a title, counted in graphemes. */
const maxCharacters = 60;

/**
 * Invisible characters, and characters that change the direction of text. Joiners stay, because emoji and some scripts need
 * them.
 */
const unseen =
	/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u{200c}|\u{200d}|\u{fe0e}|\u{fe0f})[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Characters that models write around a title, and people around a message. */
const before = /^(?:title:|[\s"'`“”„«»「『#*>_-])+/iu;
const after = /[\s"'`“”„«»」』*_.。]+$/u;

/** Created at the first use, because it loads the tables of all scripts. That takes a tenth of the start of a gateway. */
let graphemes: Intl.Segmenter | undefined;

/** Title from the first line with content: short, one line, without invisible characters. "" if there is no such line. */
export function titleFrom(text: string): string {
	for (const line of text.split(/[\n\r\u{2028}\u{2029}]/u)) {
		const title = oneLine(line).replace(before, "").replace(after, "");
		if (title !== "") return shortened(title);
	}
	return "";
}

/** Name that a person gives a session, as one line without invisible characters. */
export function oneLine(text: string): string {
	return text.replaceAll(/\s+/gu, " ").replaceAll(unseen, "").trim();
}

/** Cuts after a word if a word ends in the second half. */
function shortened(title: string): string {
	// A grapheme has at least one UTF-16 unit, and at most a few dozen if it has a meaning.
	graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	const characters = Array.from(graphemes.segment(title.slice(0, 2_000)), ({ segment }) => segment);
	if (characters.length <= maxCharacters) return characters.join("");
	const max = characters.slice(0, maxCharacters - 1);
	const end = max.lastIndexOf(" ");
	return `${max.slice(0, end > maxCharacters / 2 ? end : undefined).join("")}…`;
}

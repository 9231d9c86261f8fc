/** Characters of a title at most, as people count them. */
const mostCharacters = 60;

/** What nobody sees, or what would change how the rest is read; joiners stay, which emoji and some scripts need. */
const unseen =
	/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u{200c}|\u{200d}|\u{fe0e}|\u{fe0f})[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** What models put around a title, and people around a message. */
const before = /^(?:title:|[\s"'`“”„«»「『#*>_-])+/iu;
const after = /[\s"'`“”„«»」』*_.。]+$/u;

/** Made when it is needed first: that loads the tables of all scripts, a tenth of what a gateway takes to start. */
let graphemes: Intl.Segmenter | undefined;

/** The first line of a text that says something, as a title: short, in one line, with nothing hidden in it. "" where there is none. */
export function titleFrom(text: string): string {
	for (const line of text.split(/[\n\r\u{2028}\u{2029}]/u)) {
		const title = oneLine(line).replace(before, "").replace(after, "");
		if (title !== "") return shortened(title);
	}
	return "";
}

/** What a person calls a session, in one line and with nothing hidden in it. */
export function oneLine(text: string): string {
	return text.replaceAll(/\s+/gu, " ").replaceAll(unseen, "").trim();
}

/** Cut behind a word, where one ends in the second half. */
function shortened(title: string): string {
	// A grapheme is one UTF-16 unit at least, and a few dozen at most where it means something.
	graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	const characters = Array.from(graphemes.segment(title.slice(0, 2_000)), ({ segment }) => segment);
	if (characters.length <= mostCharacters) return characters.join("");
	const most = characters.slice(0, mostCharacters - 1);
	const end = most.lastIndexOf(" ");
	return `${most.slice(0, end > mostCharacters / 2 ? end : undefined).join("")}…`;
}

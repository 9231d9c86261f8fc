/** Made when it is needed first: that loads the tables of all scripts, a tenth of what a gateway takes to start. */
let graphemes: Intl.Segmenter | undefined;

/** What is looked at around a cut; a character that is made of more is cut all the same. */
const surroundings = 64;
/** How far back a place is looked for where a character surely begins. */
const farthest = 1_024;

/**
 * The longest beginning of `text`, of at most `length` UTF-16 code units, that ends between two characters as people see
 * them. Never empty where `length` is 2 or more: what is one character too long for that is cut between code points.
 */
export function beginning(text: string, length: number): string {
	if (text.length <= length) return text;
	const from = safeStart(text, length - surroundings);
	graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	const around = graphemes.segment(text.slice(from, length + surroundings));
	const begins = around.containing(length - from)?.index ?? 0;
	if (begins > 0) return text.slice(0, from + begins);
	const splits =
		/[\ud800-\udbff]/.test(text.charAt(length - 1)) && /[\udc00-\udfff]/.test(text.charAt(length));
	return text.slice(0, splits ? length - 1 : length);
}

/** Flags are pairs that only counting tells apart, so counting starts at a letter of ASCII, which begins a character. */
function safeStart(text: string, place: number): number {
	for (let at = place; at > Math.max(0, place - farthest); at--) if (text.charCodeAt(at) < 0x80) return at;
	return place <= farthest ? 0 : place;
}

/** Created on first use, because it loads the tables of all scripts: a tenth of the start time of a gateway. */
let graphemes: Intl.Segmenter | undefined;

/** UTF-16 code units that are read on each side of a cut. A longer character is cut inside. */
const surroundings = 64;
/** Maximum code units to go back for a safe start of a character. */
const farthest = 1_024;

/**
 * Returns the longest beginning of `text` that has at most `length` UTF-16 code units and ends between two graphemes. Not
 * empty if `length` is 2 or more: a grapheme that is too long is cut between code points.
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

/**
 * Index of the last ASCII character before a place. A grapheme begins there. Flags are pairs of characters, so segmentation
 * needs a safe start.
 */
function safeStart(text: string, place: number): number {
	for (let at = place; at > Math.max(0, place - farthest); at--) if (text.charCodeAt(at) < 0x80) return at;
	return place <= farthest ? 0 : place;
}

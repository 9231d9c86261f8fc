/**
 * Segmenter for graphemes. Created at its first use, because it loads the tables of all scripts, which would delay the
 * start of a gateway.
 */
let graphemes: Intl.Segmenter | undefined;

/** Number of UTF-16 code units that are read on each side of a cut. A longer grapheme may be split. */
const surroundings = 64;
/** Maximum number of code units to go back to a safe start of a grapheme. */
const farthest = 1_024;

/**
 * Returns the longest beginning of `text` that has at most `length` UTF-16 code units and ends between two graphemes. If
 * the first grapheme is longer than `length`, it is split between code points.
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
 * Returns the last place at or before `place` where segmentation can start, or `place` if `farthest` code units
 * contain no such place.
 */
function safeStart(text: string, place: number): number {
	// No flag or other emoji contains an ASCII character after its start.
	for (let at = place; at > Math.max(0, place - farthest); at--) if (text.charCodeAt(at) < 0x80) return at;
	return place <= farthest ? 0 : place;
}

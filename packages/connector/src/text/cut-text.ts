const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Shortens a text to a length of at most `maximum`, in the unit of `lengthOf`: UTF-16 code units or code points. Cuts
 * only between graphemes. A shortened text ends with an ellipsis, which counts as 1. Returns an empty text if `maximum`
 * is less than 1.
 */
export function cutText(text: string, maximum: number, lengthOf = (part: string) => part.length): string {
	if (lengthOf(text) <= maximum) return text;
	if (maximum < 1) return "";
	let beginning = "";
	let length = 1;
	// A code point has at most two UTF-16 units, so a grapheme that this slice splits does not fit.
	for (const { segment } of graphemes.segment(text.slice(0, 2 * maximum))) {
		length += lengthOf(segment);
		if (length > maximum) break;
		beginning += segment;
	}
	return `${beginning.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Shortens a text to at most `maximum`, in the unit of `lengthOf`. Adds an ellipsis of length 1 after a cut between
 * graphemes.
 */
export function cutText(text: string, maximum: number, lengthOf = (part: string) => part.length): string {
	if (lengthOf(text) <= maximum) return text;
	let beginning = "";
	let length = 1;
	for (const { segment } of graphemes.segment(text.slice(0, 2 * maximum))) {
		length += lengthOf(segment);
		if (length > maximum) break;
		beginning += segment;
	}
	return `${beginning.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Shortens a text to at most `most`, measured by `lengthOf`, with an ellipsis after a cut. Never splits a grapheme. */
export function cutText(text: string, most: number, lengthOf = (part: string) => part.length): string {
	if (lengthOf(text) <= most) return text;
	let beginning = "";
	let length = 1;
	for (const { segment } of graphemes.segment(text.slice(0, 2 * most))) {
		length += lengthOf(segment);
		if (length > most) break;
		beginning += segment;
	}
	return `${beginning.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text of at most `most`, as `lengthOf` counts, with an ellipsis where something is missing and no character as people
 * see it cut in two.
 */
export function cutText(text: string, most: number, lengthOf = (part: string) => part.length): string {
	if (lengthOf(text) <= most) return text;
	let kept = "";
	let length = 1;
	for (const { segment } of graphemes.segment(text.slice(0, 2 * most))) {
		length += lengthOf(segment);
		if (length > most) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const wide =
	/^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)/u;
const zero = /^[\p{Cc}\p{Cf}\p{M}]+$/u;
const ascii = /^[\x20-\x7e]*$/;

/**
 * Returns the width of a text in columns of a fixed-width font. Wide East Asian characters and emoji have two columns
 * (Unicode UAX #11). Control and format characters, and combining marks without a base, have no width.
 */
export function columnsOf(text: string): number {
	if (ascii.test(text)) return text.length;
	let columns = 0;
	for (const { segment } of graphemes.segment(text))
		columns += zero.test(segment) ? 0 : wide.test(segment) ? 2 : 1;
	return columns;
}

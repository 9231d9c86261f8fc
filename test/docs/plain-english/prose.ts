/** A paragraph, a list item, a table cell or a literal, as people read it. */
export interface Prose {
	readonly kind: Kind;
	/** Text with line breaks, without comment or list markers. */
	readonly text: string;
	/** Number of the passage's first line in the file, starting at 1. */
	readonly line: number;
}

export const kinds = ["comments", "docs", "texts", "names", "identifiers"] as const;
/**
 * Kinds of checked texts. `names` are the titles of tests and requirements. `identifiers` are the names in code and of
 * files.
 */
export type Kind = (typeof kinds)[number];

export interface Sentence {
	readonly kind: Kind;
	/** The sentence as it is in the file. */
	readonly text: string;
	/** The sentence with each code span, quotation and address replaced by one word of capitals. */
	readonly plain: string;
	readonly line: number;
}

/** Minimum number of words in a checked sentence. A text with fewer words is a label. */
const fewestWords = 3;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Splits a paragraph into sentences. Excludes labels of one or two words. */
export function sentencesOf({ kind, text, line }: Prose): Sentence[] {
	const masked = mask(text);
	return [...segmenter.segment(masked)]
		.map(({ segment, index }) => ({
			kind,
			text: text
				.slice(index, index + segment.length)
				.replaceAll(/\s+/g, " ")
				.trim(),
			plain: segment.replaceAll(/\s+/g, " ").trim(),
			line: line + linesBefore(text, index + segment.length - segment.trimStart().length),
		}))
		.filter(({ plain }) => countWords(plain) >= fewestWords);
}

/** Parts that are not the author's prose: code spans, quotations, docstring links, template values and addresses. */
const foreign = /`[^`]*`|"[^"]*"|“[^”]*”|\{@link [^}]*\}|\{…\}|https?:\/\/\S+/g;

/** Replaces foreign parts and markup. The result has the same length, so that an index is valid in both texts. */
function mask(text: string): string {
	return text
		.replaceAll(foreign, (match) => "X".repeat(match.length))
		.replaceAll(/\]\([^)]*\)/g, (match) => " ".repeat(match.length))
		.replaceAll(/[*_[\]\n]/g, " ");
}

function linesBefore(text: string, index: number): number {
	return text.slice(0, index).split("\n").length - 1;
}

export function countWords(plain: string): number {
	return plain.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

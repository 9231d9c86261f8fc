/** A passage to check, for example a paragraph, a list item, a table cell or a string literal. */
export interface Prose {
	readonly kind: Kind;
	/** Text with its line breaks, without comment or list markers. */
	readonly text: string;
	readonly line: number;
	/** Whether the passage begins the doc comment of a function. */
	readonly isFunctionDoc?: boolean;
}

export const kinds = ["comments", "docs", "texts", "names", "identifiers"] as const;
/**
 * Kinds of checked text. `names` are titles of tests and requirements. `identifiers` are names in code and base names
 * of files.
 */
export type Kind = (typeof kinds)[number];

export interface Sentence {
	readonly kind: Kind;
	readonly text: string;
	/** The sentence, with a single word of capitals in place of each code span, quotation and URL. */
	readonly plain: string;
	readonly line: number;
	/** Whether the sentence begins the doc comment of a function. */
	readonly startsFunctionDoc: boolean;
}

/** Minimum number of words of a sentence. Shorter texts are labels. */
const fewestWords = 3;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Splits a passage into sentences. Excludes labels of one or two words. */
export function sentencesOf({ kind, text, line, isFunctionDoc = false }: Prose): Sentence[] {
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
			startsFunctionDoc: isFunctionDoc && index === 0,
		}))
		.filter(({ plain }) => countWords(plain) >= fewestWords);
}

/** Pattern of the parts that are not prose: code spans, quotations, docstring links, template values and URLs. */
const foreign = /`[^`]*`|"[^"]*"|“[^”]*”|\{@link [^}]*\}|\{…\}|https?:\/\/\S+/g;

/** Masks code, quotations, addresses and markup. The result has the same length, so indexes apply to both texts. */
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

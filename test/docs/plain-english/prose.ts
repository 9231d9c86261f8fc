/** A paragraph, a list item, a table cell or a literal, as people read it. */
export interface Prose {
	readonly kind: Kind;
	/** Lines are separated by "\n", without the marks of a comment or a list. */
	readonly text: string;
	/** Number of its first line in the file, from 1. */
	readonly line: number;
}

export const kinds = ["comments", "docs", "texts", "names", "identifiers"] as const;
/** `names` are the titles of tests and requirements, `identifiers` the names in code and the names of files. */
export type Kind = (typeof kinds)[number];

export interface Sentence {
	readonly kind: Kind;
	/** As it is in the file. */
	readonly text: string;
	/** The same without code, quotations and addresses: each is one word of capitals. */
	readonly plain: string;
	readonly line: number;
}

/** Fewer words are a label. */
const fewestWords = 3;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Splits a paragraph. Labels of one or two words are left out. */
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

/** Code spans, quotations, links of a docstring and values of a template, which are not the prose of their author. */
const foreign = /`[^`]*`|"[^"]*"|“[^”]*”|\{@link [^}]*\}|\{…\}|https?:\/\/\S+/g;

/** Has the length of the text, so that an index has the same meaning in both. */
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

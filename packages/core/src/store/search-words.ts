import { folded } from "./search-texts.ts";

/** Maximum words of a query. Further words are ignored. */
const maxWords = 24;

/**
 * Segmenter that finds words, even in scripts without spaces such as Japanese. Created on first use, because the
 * creation is slow.
 */
let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the text and the tags of a note in the spelling of the index, as from `folded`. The spelling ignores case,
 * character width and ligatures.
 */
export function searchText(text: string, tags: readonly string[]): string {
	return folded([text, ...tags].join("\n"));
}

/**
 * Returns at most `maxWords` words to look up, in the spelling of the index. Ignores punctuation and words of one Latin
 * or hiragana letter, unless the query has no other words.
 */
export function searchWords(query: string): string[] {
	const text = folded(query).toWellFormed();
	segmenter ??= new Intl.Segmenter("ja", { granularity: "word" });
	const words = [...segmenter.segment(text)]
		.filter(({ isWordLike }) => isWordLike)
		.map(({ segment }) => segment);
	const found = words.length > 0 ? words.filter((word) => !particle.test(word)) : text.split(/\s+/u);
	const used = found.length > 0 ? found : words;
	return [...new Set(used.filter((word) => word !== ""))].slice(0, maxWords);
}

/** Pattern of a word with only one letter, in hiragana or Latin script. Words like this occur in nearly every text. */
const particle = /^[\p{Script=Hiragana}\p{Script=Latin}]$/u;

/**
 * Returns the words to look up if the query is a complete message. Leaves out common English words, because most notes
 * contain such words. Also leaves out words of one or two characters, unless they contain East Asian characters.
 */
export function significantWords(words: readonly string[]): string[] {
	return words.filter((word) => !common.has(word) && ([...word].length > 2 || wide.test(word)));
}

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const common = new Set(
	(
		"about after again also and any are because been before but can could did does for from get had has have her here " +
		"his how into its just let like make many may more most much must need not now off one only other our out over " +
		"please she should some such tell than that the their them then there these they this those use using very want " +
		"was way were what when where which while who why will with would you your"
	).split(" "),
);

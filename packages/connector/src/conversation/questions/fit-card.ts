import { markdownDialect } from "../../text/markdown-dialect.ts";
import { parseText } from "../../text/parse-text.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { Cut } from "./cut.ts";

/** Length reserved to separate a footer from the text, in the unit of the dialect. */
const footRoom = 40;

type Platform = Scene["platform"];

export interface FittedCard {
	/** Markdown that fits one post. */
	readonly text: string;
	/** Whether a part was left out. */
	readonly cut: boolean;
}

/**
 * Fits a card into one post. Long texts are cut to the same length, and short texts stay complete. `write` returns
 * the paragraphs of the card, and must pass each text that has no maximum length through the `Cut`.
 */
export function fitCard(
	platform: Platform,
	foot: string,
	write: (cut: Cut) => readonly string[],
): FittedCard {
	const fitted = fitLongest(platform, foot, (maximum) => {
		const cut = new Cut(maximum);
		const text = write(cut).join("\n\n");
		return { text, cut: cut.happened };
	});
	if (fitted) return fitted;
	// The shortest version has the heading and the last paragraphs that fit, without long texts.
	const [heading = "", ...others] = write(new Cut(0));
	let text = heading;
	do {
		others.shift();
		text = [heading, ...others].join("\n\n");
	} while (others.length > 0 && !fitsPost(platform, `${text}\n\n${foot}`));
	return { text, cut: true };
}

/**
 * Returns the longest drawing that fits into a post, or undefined if even the shortest drawing does not fit. `draw`
 * gets the maximum length of each text in UTF-16 code units.
 */
function fitLongest<Drawn extends { readonly text: string }>(
	platform: Platform,
	foot: string,
	draw: (maximum: number) => Drawn,
): Drawn | undefined {
	const fits = ({ text }: Drawn): boolean => fitsPost(platform, `${text}\n\n${foot}`);
	const full = draw(Number.POSITIVE_INFINITY);
	if (fits(full)) return full;
	let least = 0;
	let over = platform.limits.post;
	while (over - least > 1) {
		const middle = (least + over) >> 1;
		if (fits(draw(middle))) least = middle;
		else over = middle;
	}
	const shortest = draw(least);
	return fits(shortest) ? shortest : undefined;
}

/** Whether a text fits one post, with room to separate a footer. */
export function fitsPost({ limits, dialect = markdownDialect }: Platform, text: string): boolean {
	// Upper bound: a character has at most two code units, and each may have a backslash before it.
	if (text.length > 4 * limits.post) return false;
	return dialect.measure(dialect.write(parseText(text).blocks)) + footRoom <= limits.post;
}

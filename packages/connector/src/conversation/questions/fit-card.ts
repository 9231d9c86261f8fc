import { markdownDialect } from "../../text/markdown-dialect.ts";
import { parseText } from "../../text/parse-text.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { Cut } from "./cut.ts";

/** What the platform may need to set a foot apart. */
const footRoom = 40;

type Platform = Scene["platform"];

export interface FittedCard {
	/** Markdown that one post holds. */
	readonly text: string;
	/** Whether something of it was left out. */
	readonly cut: boolean;
}

/**
 * A card of as much as one post shows: long texts in it are cut alike, short ones stay whole. `write` gives its
 * paragraphs, with texts of any length passed through the `Cut`.
 */
export function fitCard(
	platform: Platform,
	foot: string,
	write: (cut: Cut) => readonly string[],
): FittedCard {
	const fitted = fitLongest(platform, foot, (most) => {
		const cut = new Cut(most);
		const text = write(cut).join("\n\n");
		return { text, cut: cut.happened };
	});
	if (fitted) return fitted;
	// Texts are not what makes it long: what it is about and what comes of it stay.
	const [heading = "", ...others] = write(new Cut(0));
	let text = heading;
	do {
		others.shift();
		text = [heading, ...others].join("\n\n");
	} while (others.length > 0 && !fitsPost(platform, `${text}\n\n${foot}`));
	return { text, cut: true };
}

/**
 * The longest drawing that one post holds with its foot. `draw` gets the maximum length of each text in UTF-16 code units.
 * Undefined if even the shortest drawing does not fit.
 */
export function fitLongest<Drawn extends { readonly text: string }>(
	platform: Platform,
	foot: string,
	draw: (most: number) => Drawn,
): Drawn | undefined {
	const fits = ({ text }: Drawn): boolean => fitsPost(platform, `${text}\n\n${foot}`);
	const whole = draw(Number.POSITIVE_INFINITY);
	if (fits(whole)) return whole;
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

/** Whether one post holds a text. */
export function fitsPost({ limits, dialect = markdownDialect }: Platform, text: string): boolean {
	// Every character of a post takes at most four of it: two code units, each behind a backslash.
	if (text.length > 4 * limits.post) return false;
	return dialect.measure(dialect.write(parseText(text).blocks)) + footRoom <= limits.post;
}

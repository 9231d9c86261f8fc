import { markdownDialect } from "../../text/markdown-dialect.ts";
import { parseText } from "../../text/parse-text.ts";
import type { Scene } from "../part.ts";
import { Cut } from "./cut.ts";

/** What the platform may need to set a foot apart. */
const footRoom = 40;

type Platform = Pick<Scene["platform"], "limits" | "dialect">;

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
	{ limits, dialect = markdownDialect }: Platform,
	foot: string,
	write: (cut: Cut) => readonly string[],
): FittedCard {
	const written = (most: number): FittedCard => {
		const cut = new Cut(most);
		const text = write(cut).join("\n\n");
		return { text, cut: cut.happened };
	};
	const fits = ({ text }: FittedCard): boolean => fitsPost({ limits, dialect }, `${text}\n\n${foot}`);
	const whole = written(Number.POSITIVE_INFINITY);
	if (fits(whole)) return whole;
	let least = 0;
	let over = limits.post;
	while (over - least > 1) {
		const middle = (least + over) >> 1;
		if (fits(written(middle))) least = middle;
		else over = middle;
	}
	const shortest = written(least);
	if (fits(shortest)) return shortest;
	// Texts are not what makes it long: what it is about and what comes of it stay.
	const [heading = "", ...others] = write(new Cut(0));
	let text = heading;
	do {
		others.shift();
		text = [heading, ...others].join("\n\n");
	} while (others.length > 0 && !fits({ text, cut: true }));
	return { text, cut: true };
}

/** Whether one post holds a text. */
export function fitsPost({ limits, dialect = markdownDialect }: Platform, text: string): boolean {
	// Every character of a post takes at most four of it: two code units, each behind a backslash.
	if (text.length > 4 * limits.post) return false;
	return dialect.measure(dialect.write(parseText(text).blocks)) + footRoom <= limits.post;
}

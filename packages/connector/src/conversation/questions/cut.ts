import { questionTexts } from "../../texts/questions.ts";
import type { StoredText } from "./question.ts";

const count = new Intl.NumberFormat("en");

/** Stores the start of a text and its full length. */
export function storeText(text: string, most: number): StoredText {
	return { text: beginningOf(text, most), length: text.length };
}

/** Cuts the texts of a card to `most` UTF-16 code units each, with a note for each cut. */
export class Cut {
	readonly #most: number;
	/** Whether any text was cut. */
	happened = false;

	constructor(most: number) {
		this.#most = most;
	}

	/** Text for people, with an ellipsis after a cut. */
	words(stored: StoredText): string {
		const text = this.#cut(stored);
		return text === undefined ? stored.text : `${text.trimEnd()}…`;
	}

	/** Text of a command or file, with the number of omitted characters in its own line. */
	code(stored: StoredText): string {
		const text = this.#cut(stored);
		if (text === undefined) return stored.text;
		const omitted = questionTexts.omittedCharacters({ count: count.format(stored.length - text.length) });
		return `${text}\n${omitted}`;
	}

	/** Returns the first `most` items. */
	list<Item>(items: readonly Item[], most: number): readonly Item[] {
		if (items.length > most) this.happened = true;
		return items.slice(0, most);
	}

	/** Returns undefined if the text is complete. */
	#cut({ text, length }: StoredText): string | undefined {
		if (length === text.length && length <= this.#most) return;
		this.happened = true;
		return beginningOf(text, this.#most);
	}
}

/** Returns at most `most` code units, without half a surrogate pair. */
function beginningOf(text: string, most: number): string {
	return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/u, "");
}

import { questionTexts } from "../../texts/questions.ts";
import type { StoredText } from "./question.ts";

const count = new Intl.NumberFormat("en");

/** Returns the form in which a text is stored: its start, and the length of the complete text. */
export function storeText(text: string, maximum: number): StoredText {
	return { text: beginningOf(text, maximum), length: text.length };
}

/** Cuts each text of a card to `maximum` UTF-16 code units, and marks each cut text. */
export class Cut {
	readonly #maximum: number;
	/** Whether a text was cut or an item was omitted. */
	happened = false;

	constructor(maximum: number) {
		this.#maximum = maximum;
	}

	/** Returns a text for people, with an ellipsis after a cut. */
	words(stored: StoredText): string {
		const text = this.#cut(stored);
		return text === undefined ? stored.text : `${text.trimEnd()}…`;
	}

	/** Returns a text for a block of code. A cut adds a line with the number of omitted characters. */
	code(stored: StoredText): string {
		const text = this.#cut(stored);
		if (text === undefined) return stored.text;
		const omitted = questionTexts.omittedCharacters({ count: count.format(stored.length - text.length) });
		return `${text}\n${omitted}`;
	}

	list<Item>(items: readonly Item[], maximum: number): readonly Item[] {
		if (items.length > maximum) this.happened = true;
		return items.slice(0, maximum);
	}

	/**
	 * Returns the start of a text if it must be cut, or if it was stored incompletely. Returns undefined if the
	 * text is complete and fits.
	 */
	#cut({ text, length }: StoredText): string | undefined {
		if (length === text.length && length <= this.#maximum) return;
		this.happened = true;
		return beginningOf(text, this.#maximum);
	}
}

/** Returns at most `maximum` UTF-16 code units of a text, without splitting a surrogate pair. */
function beginningOf(text: string, maximum: number): string {
	return text.length <= maximum ? text : text.slice(0, maximum).replace(/[\ud800-\udbff]$/u, "");
}

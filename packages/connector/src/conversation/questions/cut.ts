import type { StoredText } from "./question.ts";

/** How much of a longer text is looked at to cut it. */
const count = new Intl.NumberFormat("en");

/** Keeps the beginning of a text. */
export function keep(text: string, most: number): StoredText {
	return { text: beginningOf(text, most), length: text.length };
}

/** Texts of a card, each cut to at most so many UTF-16 code units; whoever is cut says so. */
export class Cut {
	readonly #most: number;
	/** Whether anything was left out. */
	happened = false;

	constructor(most: number) {
		this.#most = most;
	}

	/** Words: what is left out is an ellipsis. */
	words(kept: StoredText): string {
		const text = this.#cut(kept);
		return text === undefined ? kept.text : `${text.trimEnd()}…`;
	}

	/** What would be run: how much of it is left out stands in a line of its own. */
	code(kept: StoredText): string {
		const text = this.#cut(kept);
		if (text === undefined) return kept.text;
		return `${text}\n… ${count.format(kept.length - text.length)} more characters`;
	}

	/** As many as there may be; the others are left out. */
	list<Item>(items: readonly Item[], most: number): readonly Item[] {
		if (items.length > most) this.happened = true;
		return items.slice(0, most);
	}

	/** Undefined where the text is whole. */
	#cut({ text, length }: StoredText): string | undefined {
		if (length === text.length && length <= this.#most) return;
		this.happened = true;
		return beginningOf(text, this.#most);
	}
}

/** No longer than `most`; no surrogate pair is taken apart. */
function beginningOf(text: string, most: number): string {
	return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/u, "");
}

export class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

type Value = string | number | Markup | readonly Markup[] | undefined;

/** Returns the HTML of a tagged template. Escapes strings, also in attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
	const text = parts.map((part, index) => `${part}${written(values[index])}`);
	return new Markup(text.join(""));
}

/** Joins elements with newlines, so that a change of one post changes few lines of the page. */
export function lines(elements: readonly Markup[]): Markup {
	return new Markup(elements.map(({ text }) => text).join("\n"));
}

function written(value: Value): string {
	if (value === undefined) return "";
	if (value instanceof Markup) return value.text;
	if (typeof value === "object") return value.map(({ text }) => text).join("");
	return escaped(String(value));
}

function escaped(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;")
		.replaceAll("'", "&#39;");
}

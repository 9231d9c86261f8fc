/** Word joiner (U+2060): an invisible character that separates two characters that would form a delimiter. */
export const joiner = "\u2060";

/** Character before a line of small print. `visible` removes it from all other text. */
export const smallPrintStart = "\u001f";

/** Pattern of the first colon of `:name:`, which Slack shows as an emoji in any text. */
const emojiName = /:(?=[\p{L}\p{M}\p{N}_+'-]+:)/gu;
/** Pattern of the start of a mention, a command or a link, which Slack recognises in any text. */
const token = /<(?=[@#][A-Z0-9]|!(?:here|channel|everyone|group|subteam|date)\b|[a-z][a-z0-9+.-]*:)/i;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Removes control characters, except line breaks and tabs. */
export function visible(value: string): string {
	return value.replace(/(?![\n\t])\p{Cc}/gu, "");
}

/**
 * Escapes text so that Slack finds no `<…>` token and no `:name:` of an emoji in it:
 * messaging/formatting-message-text#escaping.
 */
export function harmless(value: string): string {
	return visible(value)
		.replace(emojiName, `:${joiner}`)
		.replace(/[&<>]/g, (symbol) => entities[symbol] ?? symbol);
}

/**
 * Whether Slack could recognise a mention, a command or a link in code. In Markdown code, entities cannot prevent
 * this.
 */
export function containsToken(code: string): boolean {
	return token.test(visible(code));
}

/**
 * Returns `url` in a form that is safe in `<…>` and `(…)`. Percent-encodes characters that would end the URL
 * early, and an `&` that would start an entity.
 */
export function addressOf(url: string): string {
	return visible(url)
		.replace(/[\s<>()\\|`"^{}]/g, (mark) => encodeURIComponent(mark).replace(/[()]/g, percent))
		.replace(/&(?=#?\w+;)/g, "%26");
}

function percent(mark: string): string {
	return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Whether a text has a visible character. */
export function isSeen(text: string): boolean {
	return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

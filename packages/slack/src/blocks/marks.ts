/** Keeps two characters apart that together would be a mark; nobody sees it. */
export const joiner = "\u2060";

/** Begins a line of small print. No text keeps it: see `visible`. */
export const smallPrintStart = "\u001f";

/** `:name:`, which Slack shows as a picture in any text. */
const emojiName = /:(?=[\p{L}\p{M}\p{N}_+'-]+:)/gu;
/** What Slack reads as a mention, a command or a link, wherever it stands. */
const token = /<(?=[@#][A-Z0-9]|!(?:here|channel|everyone|group|subteam|date)\b|[a-z][a-z0-9+.-]*:)/i;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Without characters that nobody sees and that might mean something on the way. */
export function visible(value: string): string {
	return value.replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** Text in which nothing pings, links or becomes a picture: messaging/formatting-message-text#escaping. */
export function harmless(value: string): string {
	return visible(value)
		.replace(emojiName, `:${joiner}`)
		.replace(/[&<>]/g, (symbol) => entities[symbol] ?? symbol);
}

/** Whether Slack could read a mention, a command or a link in code, in which Markdown knows no entities. */
export function holdsToken(code: string): boolean {
	return token.test(visible(code));
}

/** An address that ends where it should, in `<…>` and in `(…)`. */
export function addressOf(url: string): string {
	return visible(url)
		.replace(/[\s<>()\\|`"^{}]/g, (mark) => encodeURIComponent(mark).replace(/[()]/g, percent))
		.replace(/&(?=#?\w+;)/g, "%26");
}

function percent(mark: string): string {
	return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Whether people would see anything of a text. */
export function isSeen(text: string): boolean {
	return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/**
 * Characters that move the cursor, start an escape sequence, reverse the reading direction or hide text.
 * Joiners are allowed, because emoji and Persian need them.
 */
const UNSAFE =
	/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u{ad}\u{200b}\u{2060}-\u{2064}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/**
 * Makes the text of a model, a tool or another person safe for a terminal. Shows an unsafe character as its
 * code point, for example `\u{1b}`.
 */
export function visibleText(text: string): string {
	return text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, (character) => {
		return character === "\n" || character === "\t" ? character : escaped(character);
	});
}

/**
 * Makes the output of a program safe for a terminal, like `visibleText`. Removes escape sequences that set styles
 * or erase a line. Replaces carriage returns with line breaks, so that a progress bar overwrites no text.
 */
export function visibleOutput(text: string): string {
	return visibleText(withoutStyles(text).replaceAll(/\r+\n?/g, "\n"));
}

/**
 * Makes output safe like `visibleOutput`, but keeps only the text after the last carriage return of each line.
 * That text is the latest state of a progress bar. Ignores carriage returns at the end of a line.
 */
export function visibleProgress(text: string): string {
	const lines = withoutStyles(text).split("\n");
	const last = lines.map((line) => line.replace(/\r+$/, "").split("\r").at(-1));
	return visibleText(last.join("\n"));
}

/** Escape sequences that change colours and styles (SGR) or erase a line (EL), without the escape character. */
const STYLE = /^\[[\d;:]*[mK]/;

function withoutStyles(text: string): string {
	const [first = "", ...parts] = text.split("\u001b");
	return first + parts.map((part) => (STYLE.test(part) ? part.replace(STYLE, "") : `\u001b${part}`)).join("");
}

/**
 * Makes a text safe like `visibleText`, but in one line. Shows each line break as `\n`, and each tab as a space.
 */
export function visibleLine(text: string): string {
	return visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}

function escaped(character: string): string {
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

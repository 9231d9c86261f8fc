import { visibleText } from "../../text/visible.ts";
import { expandTabs, wrapText } from "../../text/wrap.ts";

/** Returns a text with escape sequences around it, or the unchanged text. */
export type Style = (text: string) => string;

/** Part of a text with its style. The part contains no escape sequences. */
export interface Span {
	readonly text: string;
	readonly style: Style;
}

export const plainStyle: Style = (text) => text;

/** Adds a style to each span. The span's own style stays. */
export function styled(spans: readonly Span[], style: Style): Span[] {
	return spans.map((span) => ({ text: span.text, style: (text) => style(span.style(text)) }));
}

/** Divides spans into the spans of each line. */
export function splitLines(spans: readonly Span[]): Span[][] {
	let line: Span[] = [];
	const lines = [line];
	for (const { text, style } of spans) {
		for (const [index, part] of text.split("\n").entries()) {
			if (index > 0) {
				line = [];
				lines.push(line);
			}
			line.push({ text: part, style });
		}
	}
	return lines;
}

/**
 * Wraps spans like `wrapText`. Each character keeps its style. Shows characters that are unsafe for a terminal as text.
 */
export function wrapSpans(spans: readonly Span[], columns: number): string[] {
	const parts = spans.map((span) => ({ ...span, text: expandTabs(visibleText(span.text)) }));
	const source = parts.map(({ text }) => text).join("");
	const styles = parts.flatMap(({ text, style }) => Array.from({ length: text.length }, () => style));
	let at = 0;
	return wrapText(source, columns).map((row) => {
		const marked: Span[] = [];
		for (const unit of row.split("")) {
			// A wrapped row omits spaces and line breaks of the source, and may add indentation.
			while (at < source.length && source[at] !== unit && /\s/.test(source.charAt(at))) at++;
			const isOfSource = source[at] === unit;
			marked.push({ text: unit, style: (isOfSource ? styles[at] : undefined) ?? plainStyle });
			if (isOfSource) at++;
		}
		return joinSpans(marked);
	});
}

/**
 * Returns the text of the spans with escape sequences. Adjacent spans with the same style share their escape
 * sequences.
 */
function joinSpans(spans: readonly Span[]): string {
	let row = "";
	let text = "";
	let style = plainStyle;
	for (const span of spans) {
		if (span.style !== style) {
			row += style(text);
			text = "";
			style = span.style;
		}
		text += span.text;
	}
	return row + style(text);
}

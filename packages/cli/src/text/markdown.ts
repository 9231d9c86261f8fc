import { visibleLine, visibleText } from "./visible.ts";

/**
 * Returns a code block whose fence is longer than any fence in the text:
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function fencedMarkdown(language: string, text: string): string {
	const fence = "`".repeat(Math.max(3, 1 + longestRun(text)));
	return `${fence}${language}\n${visibleText(text).replace(/\n$/, "")}\n${fence}`;
}

/**
 * Returns a block quote, which also ends every block that the text opens:
 * https://spec.commonmark.org/0.31.2/#block-quotes
 */
export function quotedMarkdown(text: string): string {
	const lines = visibleText(text).trimEnd().split("\n");
	return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** Returns a code span: https://spec.commonmark.org/0.31.2/#code-spans */
export function codeMarkdown(text: string): string {
	const line = visibleLine(text);
	const ticks = "`".repeat(1 + longestRun(line));
	const pad = /^`|`$|^ .* $/.test(line) ? " " : "";
	return `${ticks}${pad}${line}${pad}${ticks}`;
}

/**
 * Returns one line of text with escaped Markdown characters:
 * https://spec.commonmark.org/0.31.2/#backslash-escapes
 */
export function plainMarkdown(text: string): string {
	return visibleLine(text).replaceAll(/[\\`*_[\]<>#&!|~]/g, "\\$&");
}

function longestRun(text: string): number {
	return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

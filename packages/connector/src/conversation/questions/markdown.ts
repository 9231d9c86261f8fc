import type { Block } from "../../text/document.ts";
import { markdownDialect } from "../../text/markdown-dialect.ts";
import { visibleWords } from "../vocabulary/plain.ts";

/** Returns Markdown that shows a text without formatting or links. Line breaks stay. */
export function plainMarkdown(text: string): string {
	return markdownDialect.write(paragraphs(text));
}

export function quoted(text: string): string {
	return markdownDialect.write([{ type: "blockquote", children: paragraphs(text) }]);
}

export function fenced(value: string, lang?: string): string {
	return markdownDialect.write([{ type: "code", lang, value }]);
}

export function inlineCode(value: string): string {
	return markdownDialect.write([
		{
			type: "paragraph",
			children: [{ type: "inlineCode", value: visibleWords(value).replaceAll("\n", " ") }],
		},
	]);
}

export function bullets(items: readonly string[]): string {
	return items.map((item) => `- ${item.replaceAll("\n", " ")}`).join("\n");
}

function paragraphs(text: string): Block[] {
	const blocks = visibleWords(text)
		.split(/\n\s*\n/u)
		.map((part) => part.replaceAll(/^[ \t]+|[ \t]+$/gmu, ""))
		.filter((part) => part !== "");
	return (blocks.length > 0 ? blocks : ["–"]).map((value) => ({
		type: "paragraph",
		children: [{ type: "text", value }],
	}));
}

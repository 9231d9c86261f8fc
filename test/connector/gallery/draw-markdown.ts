import { type Block, type Inline, type List, parseText } from "@parley/connector";
import { html, lines, type Markup } from "./markup.ts";

/** Pattern of subtext (small text) in Discord's Markdown. */
const small = /^-# (.*)$/;

export function drawMarkdown(markdown: string): Markup {
	return lines(partsOf(markdown).map(drawPart));
}

interface Part {
	readonly isSmall: boolean;
	readonly text: string;
}

function partsOf(markdown: string): Part[] {
	const parts: { isSmall: boolean; text: string }[] = [];
	let isCode = false;
	for (const line of markdown.split("\n")) {
		if (line.startsWith("```")) isCode = !isCode;
		const words = isCode ? undefined : small.exec(line)?.[1];
		const last = parts.at(-1);
		if (words !== undefined) parts.push({ isSmall: true, text: words });
		else if (last && !last.isSmall) last.text += `\n${line}`;
		else parts.push({ isSmall: false, text: line });
	}
	return parts.filter(({ text }) => text.trim() !== "");
}

function drawPart({ isSmall, text }: Part): Markup {
	const blocks = parseText(text).blocks.map(drawBlock);
	return isSmall ? html`<div class="small">${blocks}</div>` : lines(blocks);
}

function drawBlock(block: Block): Markup {
	switch (block.type) {
		case "paragraph":
			return html`<p>${drawInlines(block.children)}</p>`;
		case "heading":
			return html`<p class="heading">${drawInlines(block.children)}</p>`;
		case "code":
			return drawCode(block.value, block.lang);
		case "thematicBreak":
			return html`<hr>`;
		case "blockquote":
			return html`<blockquote>${block.children.map(drawBlock)}</blockquote>`;
		case "list":
			return drawList(block);
		case "table": {
			const rows = block.children.map(({ children }) => {
				const cells = children.map((cell) => html`<td>${drawInlines(cell.children)}</td>`);
				return html`<tr>${cells}</tr>`;
			});
			return html`<table>${rows}</table>`;
		}
	}
}

function drawList({ ordered, start = 1, children }: List): Markup {
	const items = children.map((item) => html`<li>${item.children.map(drawBlock)}</li>`);
	return ordered ? html`<ol start="${start}">${items}</ol>` : html`<ul>${items}</ul>`;
}

/** Renders a code block. In a `diff` block, added and removed lines have different classes. */
export function drawCode(code: string, language?: string): Markup {
	if (language !== "diff") return html`<pre>${code}</pre>`;
	const drawn = code.split("\n").map((line, index) => {
		const name = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
		return html`${index === 0 ? "" : "\n"}<span class="${name}">${line}</span>`;
	});
	return html`<pre>${drawn}</pre>`;
}

function drawInlines(inlines: readonly Inline[]): Markup[] {
	return inlines.map(drawInline);
}

function drawInline(inline: Inline): Markup {
	switch (inline.type) {
		case "text":
			return drawText(inline.value);
		case "inlineCode":
			return html`<code>${inline.value}</code>`;
		case "strong":
			return html`<b>${drawInlines(inline.children)}</b>`;
		case "emphasis":
			return html`<i>${drawInlines(inline.children)}</i>`;
		case "delete":
			return html`<s>${drawInlines(inline.children)}</s>`;
		case "link":
			return html`<span class="link" title="${inline.url}">${drawInlines(inline.children)}</span>`;
	}
}

/** Renders a text. Renders names after `@` like mentions. */
export function drawText(text: string): Markup {
	const parts = text.split(/(@[A-Z][a-z]+)/);
	return html`${parts.map((part, index) =>
		index % 2 === 1 ? html`<span class="mention">${part}</span>` : html`${part}`,
	)}`;
}

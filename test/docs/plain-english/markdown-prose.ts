import type { Prose } from "./prose.ts";

interface Paragraph {
	readonly line: number;
	readonly lines: string[];
}

/** Returns the prose of a page. Excludes code blocks and HTML comments. */
export function markdownProse(page: string): Prose[] {
	const prose: Prose[] = [];
	let paragraph: Paragraph | undefined;
	const flush = (): void => {
		if (paragraph !== undefined) prose.push(asProse(paragraph.lines.join("\n"), paragraph.line));
		paragraph = undefined;
	};
	for (const [index, raw] of withoutCode(withoutHtmlComments(page)).split("\n").entries()) {
		const line = index + 1;
		const start = startOf(raw);
		if (start !== undefined) flush();
		if (start === "row") prose.push(...cells(raw).map((cell) => asProse(cell, line)));
		else if (start !== "blank") {
			paragraph ??= { line, lines: [] };
			paragraph.lines.push(withoutMarks(raw));
		}
		if (start === "heading") flush();
	}
	flush();
	return prose;
}

function withoutCode(page: string): string {
	let fence: string | undefined;
	const lines = page.split("\n").map((line) => {
		const mark = /^\s*(?:>\s*)*(```+|~~~+)/.exec(line)?.[1];
		const isCode = fence !== undefined || mark !== undefined;
		if (fence === undefined) fence = mark;
		else if (mark?.startsWith(fence) === true) fence = undefined;
		return isCode ? "" : line;
	});
	return lines.join("\n");
}

type Start = "blank" | "heading" | "item" | "row";

/** Returns the kind of a line, or undefined for a line of a paragraph. */
function startOf(raw: string): Start | undefined {
	const text = raw.replace(/^\s*(?:>\s*)*/, "");
	if (text === "") return "blank";
	if (text.startsWith("|")) return "row";
	if (/^#{1,6} /.test(text)) return "heading";
	return /^(?:[-*+]|\d+[.)]) /.test(text) ? "item" : undefined;
}

function withoutMarks(raw: string): string {
	return raw.replace(/^[\s>]*(?:#{1,6} |[-*+] |\d+[.)] )?/, "");
}

function cells(row: string): string[] {
	return row
		.split(/(?<!\\)\|/)
		.map((cell) => cell.trim())
		.filter((cell) => cell !== "" && !/^:?-+:?$/.test(cell));
}

function withoutHtmlComments(page: string): string {
	return page.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ""));
}

function asProse(text: string, line: number): Prose {
	return { kind: "docs", text, line };
}

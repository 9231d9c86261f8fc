import { alignedLines, type Block, type List } from "@parley/connector";
import { harmlessCode, joiner } from "./marks.ts";
import { longestRun, type Moments, writeInlines } from "./write-inlines.ts";

type ListItem = List["children"][number];

interface Around {
	readonly moments: Moments;
	/** Whether it stands in a list or a quote, where there are no headings. */
	readonly nested: boolean;
}

/** Blocks as Markdown (CommonMark, task lists, strikethrough); tables as code, because here they are nested or too large. */
export function writeMarkdown(blocks: readonly Block[], moments: Moments): string {
	return blockLines(blocks, { moments, nested: false }).join("\n");
}

/** The same number of equal lists in a row would be one list: every other one has other marks. */
function blockLines(blocks: readonly Block[], around: Around): string[] {
	let isOdd = false;
	return blocks.flatMap((block, index) => {
		const before = blocks[index - 1];
		const follows = block.type === "list" && before?.type === "list" && before.ordered === block.ordered;
		isOdd = follows && !isOdd;
		const lines = block.type === "list" ? listLines(block, isOdd, around) : linesOf(block, around);
		return index === 0 ? lines : ["", ...lines];
	});
}

function linesOf(block: Exclude<Block, List>, around: Around): string[] {
	switch (block.type) {
		case "paragraph":
			return paragraphLines(writeInlines(block.children, around.moments));
		case "heading":
			return headingLines(block, around);
		case "thematicBreak":
			// Hyphens could be read as the mark of an item.
			return [around.nested ? "___" : "---"];
		case "code":
			return codeLines(block.value, block.lang);
		case "table":
			return codeLines(alignedLines(block).join("\n"), undefined);
		case "blockquote":
			return blockLines(block.children, { ...around, nested: true }).map((line) =>
				line === "" ? ">" : `> ${line}`,
			);
	}
}

/** Two blanks at its end keep a line from running into the next one. */
function paragraphLines(written: string): string[] {
	const lines = written.split("\n").map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ""));
	return lines.map((line, index) => (line === "" || !lines[index + 1] ? line : `${line}  `));
}

function headingLines(
	{ depth, children }: Extract<Block, { type: "heading" }>,
	{ moments, nested }: Around,
): string[] {
	if (nested) return paragraphLines(writeInlines([{ type: "strong", children }], moments));
	const inner = writeInlines(children, moments).replaceAll("\n", " ").trim();
	return [inner === "" ? "" : `${"#".repeat(depth)} ${inner}${inner.endsWith("#") ? joiner : ""}`];
}

function codeLines(value: string, lang: string | undefined): string[] {
	const code = harmlessCode(value);
	const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
	return [`${fence}${lang ?? ""}`, ...code.split("\n"), fence];
}

function listLines({ children, ordered, start = 1 }: List, isOdd: boolean, around: Around): string[] {
	return children.flatMap((item, index) => {
		const marker = ordered ? `${start + index}${isOdd ? ")" : "."} ` : isOdd ? "* " : "- ";
		return itemLines(item, marker, around);
	});
}

function itemLines({ children, checked }: ListItem, marker: string, around: Around): string[] {
	const box = checked === undefined ? "" : checked ? "[x] " : "[ ] ";
	const indent = " ".repeat(marker.length);
	const lines = blockLines(shownIn(children), { ...around, nested: true });
	return tight(lines, children).map((line, index) => {
		if (index === 0) return marker + box + line;
		return line === "" ? "" : indent + line;
	});
}

/** An item that begins with nothing would take nothing of what follows. */
function shownIn(children: readonly Block[]): readonly Block[] {
	const shown = children.filter((block) => block.type !== "paragraph" || block.children.length > 0);
	return shown.length > 0 ? shown : children;
}

/** A list below a line of text needs no empty line between. */
function tight(lines: string[], children: readonly Block[]): string[] {
	const [first, second] = children;
	const isClose =
		children.length === 2 &&
		first?.type === "paragraph" &&
		second?.type === "list" &&
		second.start === undefined;
	const gap = lines.indexOf("");
	return isClose && gap > 0 ? lines.toSpliced(gap, 1) : lines;
}

import { alignedLines, type Block, type List } from "@parley/connector";
import { joiner, visible } from "./marks.ts";
import { longestRun, writeInlines } from "./write-inlines.ts";

type ListItem = List["children"][number];

/** Writes blocks as Markdown (CommonMark, task lists, strikethrough). Tables become code. */
export function writeMarkdown(blocks: readonly Block[]): string {
	return blockLines(blocks, false).join("\n");
}

/** Returns the lines of `blocks`. `nested`: the blocks are in a list item or a quote. */
function blockLines(blocks: readonly Block[], nested: boolean): string[] {
	let isOdd = false;
	return blocks.flatMap((block, index) => {
		const before = blocks[index - 1];
		const follows = block.type === "list" && before?.type === "list" && before.ordered === block.ordered;
		// Consecutive lists of one kind would become one list, so every second list has different markers.
		isOdd = follows && !isOdd;
		const lines = block.type === "list" ? listLines(block, isOdd) : linesOf(block, nested);
		return index === 0 ? lines : ["", ...lines];
	});
}

function linesOf(block: Exclude<Block, List>, nested: boolean): string[] {
	switch (block.type) {
		case "paragraph":
			return paragraphLines(writeInlines(block.children));
		case "heading":
			return headingLines(block, nested);
		case "thematicBreak":
			// After a list marker, hyphens would make the complete line one thematic break: `- ---`.
			return [nested ? "___" : "---"];
		case "code":
			return codeLines(block.value, block.lang);
		case "table":
			return codeLines(alignedLines(block).join("\n"), undefined);
		case "blockquote":
			return blockLines(block.children, true).map((line) => (line === "" ? ">" : `> ${line}`));
	}
}

function paragraphLines(written: string): string[] {
	const lines = written.split("\n").map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ""));
	// Two spaces at the end of a line keep the line break.
	return lines.map((line, index) => (line === "" || !lines[index + 1] ? line : `${line}  `));
}

function headingLines({ depth, children }: Extract<Block, { type: "heading" }>, nested: boolean): string[] {
	if (nested) return paragraphLines(writeInlines([{ type: "strong", children }]));
	const inner = writeInlines(children).replaceAll("\n", " ").trim();
	return [inner === "" ? "" : `${"#".repeat(depth)} ${inner}${inner.endsWith("#") ? joiner : ""}`];
}

function codeLines(value: string, lang: string | undefined): string[] {
	const code = visible(value);
	const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
	return [`${fence}${lang ?? ""}`, ...code.split("\n"), fence];
}

function listLines({ children, ordered, start = 1 }: List, isOdd: boolean): string[] {
	return children.flatMap((item, index) => {
		const marker = ordered ? `${start + index}${isOdd ? ")" : "."} ` : isOdd ? "* " : "- ";
		return itemLines(item, marker);
	});
}

function itemLines({ children, checked }: ListItem, marker: string): string[] {
	const box = checked === undefined ? "" : checked ? "[x] " : "[ ] ";
	const indent = " ".repeat(marker.length);
	const lines = blockLines(shownIn(children), true);
	return tight(lines, children).map((line, index) => {
		if (index === 0) return marker + box + line;
		return line === "" ? "" : indent + line;
	});
}

function shownIn(children: readonly Block[]): readonly Block[] {
	// A list item that starts with an empty paragraph would lose its content.
	const shown = children.filter((block) => block.type !== "paragraph" || block.children.length > 0);
	return shown.length > 0 ? shown : children;
}

/** Removes the empty line from an item of a paragraph and a list, unless the list has a start number. */
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

import { type Inline, type Link, plainText } from "@parley/connector";
import { addressOf, harmless, joiner, visible } from "./marks.ts";

type Style = "strong" | "emphasis" | "delete";
type Styled = Extract<Inline, { type: Style }>;

const fences: Readonly<Record<Style, string>> = { strong: "**", emphasis: "*", delete: "~~" };

/** Pattern of the characters to escape. An underscore inside a word is not a delimiter. */
const inlineMark = /[\\`*~[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** Pattern of the indentation before a character that begins a block or a table row. */
const lineMark = /^([ \t]*)(?=[#+\-=|]|:-)/gm;
const lineNumber = /^([ \t]*\d{1,9})(?=[.)])/gm;
/**
 * Pattern of the start of a bare URL. Slack would make the URL a link that includes the backslashes of later
 * escapes.
 */
const bareAddress = /https?(?=:\/\/)|www(?=\.)/gi;
const openEdge = /^[^\p{L}\p{N}\u2060]/u;
const closeEdge = /[^\p{L}\p{N}\u2060]$/u;
/** Pattern of a label that looks like a URL. */
const misleading = /:\/\/|^www\./i;

/** Writes inlines as Markdown (CommonMark with strikethrough) in which all text is literal. Line breaks stay plain newlines. */
export function writeInlines(nodes: readonly Inline[]): string {
	return write(nodes, []);
}

function write(nodes: readonly Inline[], around: readonly Style[]): string {
	const flat = merged(nodes.flatMap((node) => unwrapped(node, around)));
	return flat
		.map((node) => ({ type: node.type, shown: writeInline(node, around) }))
		.filter(({ shown }) => shown !== "")
		.map(({ type, shown }, index, all) => {
			const before = all[index - 1]?.type ?? "text";
			return before === "text" || type === "text" ? shown : joiner + shown;
		})
		.join("");
}

function writeInline(node: Inline, around: readonly Style[]): string {
	switch (node.type) {
		case "text":
			return writeText(node.value);
		case "inlineCode":
			return writeCode(node.value);
		case "link":
			return writeLink(node, around);
		default:
			return styled(node.type, write(node.children, [...around, node.type]));
	}
}

function writeLink({ url, children }: Link, around: readonly Style[]): string {
	const plain = plainText(children);
	const address = addressOf(url);
	if (plain === url && address === url && /^https?:/i.test(url)) return `<${address}>`;
	const label = write(children, around).replaceAll("\n", " ").trim();
	if (label === "") return `<${address}>`;
	const isMisleading = /^https?:/i.test(url) && misleading.test(plain) && !leadsTo(plain, url);
	return isMisleading ? `${label} (<${address}>)` : `[${label}](${address})`;
}

function leadsTo(plain: string, url: string): boolean {
	return plain === url || plain === url.replace(/^https?:\/\//i, "");
}

function writeText(value: string): string {
	return (
		harmless(value)
			.replace(inlineMark, "\\$&")
			.replace(bareAddress, "$&\\")
			// Before a link, an exclamation mark would start an image.
			.replace(/!$/, "\\!")
			.replace(lineMark, "$1\\")
			.replace(lineNumber, "$1\\")
	);
}

function writeCode(value: string): string {
	const code = visible(value);
	if (code === "") return "";
	const fence = "`".repeat(longestRun(code) + 1);
	const pad = /^[` ]|[` ]$/.test(code) && /[^ ]/.test(code) ? " " : "";
	return fence + pad + code + pad + fence;
}

export function longestRun(code: string): number {
	return Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
}

function styled(type: Style, children: string): string {
	// Beside punctuation or an empty line, a delimiter would not open or close a style.
	const inner = children.replace(/\n[ \t]*(?=\n)/g, "");
	if (inner.trim() === "") return inner;
	const open = openEdge.test(inner) ? joiner : "";
	const close = closeEdge.test(inner) ? joiner : "";
	return fences[type] + open + inner + close + fences[type];
}

function unwrapped(node: Inline, around: readonly Style[]): readonly Inline[] {
	// A style inside the same style would have no effect.
	return isStyled(node) && around.includes(node.type)
		? node.children.flatMap((child) => unwrapped(child, around))
		: [node];
}

/** Merges adjacent texts, and adjacent nodes of one style, because delimiters between them would be misread. */
function merged(nodes: readonly Inline[]): Inline[] {
	const result: Inline[] = [];
	for (const node of nodes) {
		const last = result.at(-1);
		if (last !== undefined && isStyled(node) && last.type === node.type) {
			result[result.length - 1] = { ...last, children: [...last.children, ...node.children] };
		} else if (last?.type === "text" && node.type === "text") {
			result[result.length - 1] = { type: "text", value: last.value + node.value };
		} else result.push(node);
	}
	return result;
}

function isStyled(node: Inline): node is Styled {
	return node.type === "strong" || node.type === "emphasis" || node.type === "delete";
}

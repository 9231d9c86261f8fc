import type { Nodes, PhrasingContent, RootContent } from "mdast";
import type { Block, Inline, List, ListItem, Table } from "./document.ts";

/** Deeper quotes and lists lose their frame: what is in front of a line must leave room for the line. */
const maxDepth = 8;
/** Longer addresses are shown as text, which can be split. */
const maxUrl = 1000;
const shownScheme = /^(?:https?:\/\/|mailto:)/i;
const language = /^[\w+#.-]{1,32}$/;

/** mdast as our blocks: images are links, what a post cannot hold is text. */
export function blocksFrom(nodes: readonly RootContent[], depth = 0): Block[] {
	return nodes.flatMap((node) => blockFrom(node, depth));
}

function blockFrom(node: RootContent, depth: number): Block[] {
	switch (node.type) {
		case "paragraph":
			return [{ type: "paragraph", children: inlinesFrom(node.children) }];
		case "heading":
			return [{ type: "heading", depth: node.depth, children: inlinesFrom(node.children) }];
		case "code": {
			const lang = language.test(node.lang ?? "") ? (node.lang ?? undefined) : undefined;
			return [{ type: "code", lang, value: node.value }];
		}
		case "thematicBreak":
			return [{ type: "thematicBreak" }];
		case "blockquote": {
			const children = filled(blocksFrom(node.children, depth + 1));
			return depth < maxDepth ? [{ type: "blockquote", children }] : children;
		}
		case "list":
			return depth < maxDepth
				? [listFrom(node, depth)]
				: node.children.flatMap((item) => filled(blocksFrom(item.children, depth)));
		case "table":
			return [tableFrom(node)];
		default:
			// The parser's other constructs are switched off: what is left can only be a line's content.
			return [{ type: "paragraph", children: [{ type: "text", value: leftOver(node) }] }];
	}
}

/** Everything has something in it, so that it has a place in the text of the document. */
function filled(blocks: Block[]): Block[] {
	return blocks.length > 0 ? blocks : [{ type: "paragraph", children: [] }];
}

function listFrom(node: Extract<RootContent, { type: "list" }>, depth: number): List {
	const children = node.children.map(
		(item): ListItem => ({
			type: "listItem",
			checked: item.checked ?? undefined,
			children: filled(blocksFrom(item.children, depth + 1)),
		}),
	);
	const ordered = node.ordered === true;
	return { type: "list", ordered, start: ordered ? (node.start ?? 1) : undefined, children };
}

function tableFrom(node: Extract<RootContent, { type: "table" }>): Table {
	const columns = node.children[0]?.children.length ?? 0;
	return {
		type: "table",
		children: node.children.map((row) => ({
			type: "tableRow",
			children: Array.from({ length: Math.max(columns, row.children.length) }, (_, index) => ({
				type: "tableCell",
				children: inlinesFrom(row.children[index]?.children ?? []),
			})),
		})),
	};
}

function inlinesFrom(nodes: readonly PhrasingContent[]): Inline[] {
	return nodes.flatMap(inlineFrom);
}

function inlineFrom(node: PhrasingContent): Inline[] {
	switch (node.type) {
		case "text":
			return text(node.value);
		case "break":
			return text("\n");
		case "inlineCode":
			return [{ type: "inlineCode", value: node.value.replaceAll("\n", " ") }];
		case "strong":
		case "emphasis":
		case "delete": {
			const children = inlinesFrom(node.children);
			return children.length > 0 ? [{ type: node.type, children }] : [];
		}
		case "link":
			return linked(node.url, inlinesFrom(node.children));
		case "image":
			return linked(node.url, text(node.alt ?? ""));
		default:
			return text(leftOver(node));
	}
}

function text(value: string): Inline[] {
	return value === "" ? [] : [{ type: "text", value }];
}

function linked(url: string, children: Inline[]): Inline[] {
	if (shownScheme.test(url) && url.length <= maxUrl) {
		return [{ type: "link", url, children: children.length > 0 ? children : text(url) }];
	}
	return [...children, ...text(children.length > 0 && url !== "" ? ` (${url})` : url)];
}

function leftOver(node: Nodes): string {
	return "value" in node ? node.value : "children" in node ? node.children.map(leftOver).join("") : "";
}

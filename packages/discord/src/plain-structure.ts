import type { Block, Inline } from "@parley/connector";

type Styled = Extract<Inline, { type: "strong" | "emphasis" | "delete" }>;

/** Stands between two nodes whose marks would be read as one; nobody sees it. */
const joiner: Inline = { type: "text", value: "\u2060" };

interface Around {
	readonly inList: boolean;
	readonly inQuote: boolean;
}

/**
 * The same blocks in the structure that Discord knows: no quote in a quote, no heading in a list and none below the
 * third level, no style inside of itself and no two marks side by side that would be read as another one.
 */
export function asDiscordHasThem(blocks: readonly Block[]): Block[] {
	return blocksIn(blocks, { inList: false, inQuote: false });
}

function blocksIn(blocks: readonly Block[], around: Around): Block[] {
	return blocks.flatMap((block): Block[] => {
		switch (block.type) {
			case "paragraph":
				return [{ ...block, children: inlinesIn(block.children, []) }];
			case "heading": {
				if (block.depth <= 3 && !around.inList) {
					return [{ ...block, children: inlinesIn(block.children, []) }];
				}
				const children = inlinesIn([{ type: "strong", children: block.children }], []);
				return [{ type: "paragraph", children }];
			}
			case "blockquote": {
				const children = blocksIn(block.children, { ...around, inQuote: true });
				return around.inQuote ? children : [{ ...block, children }];
			}
			case "list": {
				const inside = { ...around, inList: true };
				const children = block.children.map((item) => ({
					...item,
					children: blocksIn(item.children, inside),
				}));
				return [{ ...block, children }];
			}
			default:
				return [block];
		}
	});
}

function inlinesIn(nodes: readonly Inline[], styles: readonly Styled["type"][]): Inline[] {
	const flat = nodes.flatMap((node): Inline[] => {
		if (!isStyled(node)) return [node];
		if (styles.includes(node.type)) return inlinesIn(node.children, styles);
		const children = inlinesIn(node.children, [...styles, node.type]);
		return children.length === 0 ? [] : [{ ...node, children }];
	});
	return separated(merged(flat));
}

function isStyled(node: Inline): node is Styled {
	return node.type === "strong" || node.type === "emphasis" || node.type === "delete";
}

/** Neighbours of one style are one: their marks would close and open as something else. */
function merged(nodes: readonly Inline[]): Inline[] {
	const result: Inline[] = [];
	for (const node of nodes) {
		const last = result.at(-1);
		if (last !== undefined && isStyled(node) && isStyled(last) && node.type === last.type) {
			result[result.length - 1] = { ...last, children: [...last.children, ...node.children] };
		} else result.push(node);
	}
	return result;
}

function separated(nodes: readonly Inline[]): Inline[] {
	return nodes.flatMap((node, index) => {
		const next = nodes[index + 1];
		return next !== undefined && wouldRunTogether(node, next) ? [node, joiner] : [node];
	});
}

/** `_a_b` is no emphasis, `~~a~~_b_` nothing struck, and of two code spans one may end in the other. */
function wouldRunTogether(node: Inline, next: Inline): boolean {
	if (node.type === "inlineCode") return next.type === "inlineCode";
	if (node.type === "emphasis") return next.type === "text" && /^\w/.test(next.value);
	return node.type === "delete" && next.type === "emphasis";
}

import { type Block, plainText, type TextNode } from "./document.ts";

/** A node that contains inlines or code directly. */
export type Leaf = Extract<TextNode, { type: "paragraph" | "heading" | "tableCell" | "code" }>;

/**
 * Positions of all nodes in the visible text of a document, in order. Each leaf and each thematic break has
 * one further offset at its end, so that an empty node also has a position. Offsets and cuts are in UTF-16
 * code units.
 */
export class Layout {
	readonly blocks: readonly Block[];
	readonly length: number;
	readonly #spans = new Map<TextNode, { readonly start: number; readonly end: number }>();
	readonly #texts = new Map<TextNode, string>();

	constructor(blocks: readonly Block[]) {
		this.blocks = blocks;
		this.length = this.#place(blocks, 0);
	}

	start(node: TextNode): number {
		return this.#spans.get(node)?.start ?? 0;
	}

	end(node: TextNode): number {
		return this.#spans.get(node)?.end ?? 0;
	}

	/** Returns the text of a leaf. The text begins at the offset of the leaf. */
	textOf(leaf: Leaf): string {
		if (leaf.type === "code") return leaf.value;
		const known = this.#texts.get(leaf);
		if (known !== undefined) return known;
		const text = plainText(leaf.children);
		this.#texts.set(leaf, text);
		return text;
	}

	/** Yields the siblings in `nodes` that have content between the offsets `from` and `to`. */
	*between<Node extends TextNode>(nodes: readonly Node[], from: number, to: number): Generator<Node> {
		for (let index = this.indexAfter(nodes, from); index < nodes.length; index++) {
			const node = nodes[index];
			if (node === undefined || this.start(node) >= to) return;
			yield node;
		}
	}

	/**
	 * Returns the index of the first node in `nodes` that ends after an offset. If no node ends after it, returns
	 * the number of nodes.
	 */
	indexAfter(nodes: readonly TextNode[], from: number): number {
		let low = 0;
		let high = nodes.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			const node = nodes[middle];
			if (node !== undefined && this.end(node) <= from) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	#place(nodes: readonly TextNode[], from: number): number {
		let at = from;
		for (const node of nodes) {
			const start = at;
			if ("children" in node) at = this.#place(node.children, at);
			else if ("value" in node) at += node.value.length;
			if (leaves.includes(node.type)) at += 1;
			this.#spans.set(node, { start, end: at });
		}
		return at;
	}
}

const leaves: readonly TextNode["type"][] = ["paragraph", "heading", "code", "thematicBreak", "tableCell"];

import type { Root } from "mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { type Options, toMarkdown } from "mdast-util-to-markdown";
import type { Dialect } from "./dialect.ts";
import type { Block } from "./document.ts";

const options: Options = {
	bullet: "-",
	emphasis: "_",
	rule: "-",
	extensions: [gfmToMarkdown({ tablePipeAlign: false })],
	join: [(_first, _second, parent) => (parent.type === "list" ? 0 : undefined)],
};

/** Standard Markdown (GFM), measured in UTF-16 code units. */
export const markdownDialect: Dialect = {
	write(blocks: readonly Block[]): string {
		// The cast is safe: these nodes are mdast nodes with fewer types and fields, and the library only reads them.
		const root = { type: "root", children: blocks } as unknown as Root;
		return toMarkdown(root, options).trimEnd();
	},
	measure: (written) => written.length,
	tableColumns: 120,
};

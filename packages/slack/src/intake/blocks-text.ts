interface Part {
	readonly type?: unknown;
	readonly [name: string]: unknown;
}

/** Blocks in lists in quotes are four deep; what is deeper was made to be. */
const mostDepth = 12;

/** What has nothing to read, or only what can be pressed. */
const silent: ReadonlySet<unknown> = new Set(["actions", "input", "button", "divider"]);

/** What the elements of a part have between them where they do not stand in lines. */
const between: ReadonlyMap<unknown, string> = new Map([
	...["rich_text_section", "rich_text_preformatted", "rich_text_quote"].map((type) => [type, ""] as const),
	["context", " "],
]);

/** What people read of blocks, in mrkdwn: https://docs.slack.dev/reference/block-kit/blocks */
export function blocksText(blocks: readonly unknown[]): string {
	return joined(blocks, "\n", 0);
}

function joined(parts: unknown, between: string, depth: number): string {
	if (!Array.isArray(parts)) return "";
	return parts
		.map((part: unknown) => (isPart(part) ? textOf(part, depth) : ""))
		.filter(Boolean)
		.join(between);
}

function textOf(part: Part, depth: number): string {
	const { type, text } = part;
	if (depth > mostDepth || silent.has(type)) return "";
	const named = nameOf(part);
	if (named !== undefined) return named;
	if (type === "image") return wordOf(part["alt_text"]);
	if (type === "table") return rowsOf(part["rows"], depth);
	// Of rich text alone nothing is escaped.
	if (type === "text" || type === "raw_text") return escaped(wordOf(text));
	if (typeof text === "string") return text;
	return [
		...(isPart(text) ? [textOf(text, depth + 1)] : []),
		joined(part["fields"], "\n", depth + 1),
		joined(part["elements"], between.get(type) ?? "\n", depth + 1),
	]
		.filter(Boolean)
		.join("\n");
}

/** What stands for somebody or something: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#element-types */
function nameOf(part: Part): string | undefined {
	switch (part.type) {
		case "user":
			return `<@${wordOf(part["user_id"])}>`;
		case "channel":
			return `<#${wordOf(part["channel_id"])}>`;
		case "usergroup":
			return `<!subteam^${wordOf(part["usergroup_id"])}>`;
		case "broadcast":
			return `<!${wordOf(part["range"])}>`;
		case "emoji":
			return `:${wordOf(part["name"])}:`;
		case "link": {
			const label = wordOf(part["text"]);
			return `<${escaped(wordOf(part["url"]))}${label === "" ? "" : `|${escaped(label)}`}>`;
		}
		default:
			return undefined;
	}
}

function rowsOf(rows: unknown, depth: number): string {
	if (!Array.isArray(rows)) return "";
	return rows.map((cells: unknown) => joined(cells, " | ", depth + 1)).join("\n");
}

function isPart(value: unknown): value is Part {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wordOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

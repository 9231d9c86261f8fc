/** A part of Block Kit with the optional fields of all kinds: https://docs.slack.dev/reference/block-kit */
export interface Part {
	readonly type?: string;
	readonly [name: string]: unknown;
}

export function insideOf(value: unknown): Part[] {
	if (Array.isArray(value)) return value.flatMap((one: unknown) => (isPart(one) ? [one] : insideOf(one)));
	if (!isPart(value)) return [];
	return Object.values(value).flatMap((one) =>
		isPart(one) ? [one] : Array.isArray(one) ? insideOf(one) : [],
	);
}

export function isPart(value: unknown): value is Part {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns all texts that can contain mentions, in document order. */
export function mrkdwnOf(blocks: unknown): string[] {
	return insideOf(blocks).flatMap((part) => {
		const { type, text } = part;
		if ((type === "mrkdwn" || type === "markdown") && typeof text === "string") return [text];
		return [...tokenOf(part), ...mrkdwnOf(part)];
	});
}

function tokenOf(part: Part): string[] {
	if (part.type === "user" && typeof part["user_id"] === "string") return [`<@${part["user_id"]}>`];
	if (part.type === "channel" && typeof part["channel_id"] === "string") return [`<#${part["channel_id"]}>`];
	if (part.type === "broadcast") return [`<!${String(part["range"])}>`];
	return part.type === "usergroup" ? [`<!subteam^${String(part["usergroup_id"])}>`] : [];
}

/**
 * Returns the visible text of each block, with its Markdown or mrkdwn syntax. Omits blocks of buttons, and blocks
 * without a text.
 */
export function blockTexts(blocks: readonly unknown[]): string[] {
	return blocks.filter(isPart).flatMap((block) => {
		const text = textOfBlock(block);
		return text === "" ? [] : [text];
	});
}

function textOfBlock(block: Part): string {
	if (block.type === "divider") return "---";
	if (block.type === "actions" || block.type === "context_actions") return "";
	if (block.type === "image") return `(image: ${String(block["alt_text"])})`;
	if (block.type === "plan") return planText(block);
	if (block.type === "task_card") return taskText(block);
	if (block.type === "table") return rowsOf(block["rows"]).join("\n");
	if (block.type === "context") return insideOf(block["elements"]).map(plainOf).join(" ");
	if (block.type === "rich_text") return insideOf(block["elements"]).map(richText).join("\n");
	if (block.type === "section") {
		const fields = insideOf(block["fields"]).map(plainOf);
		return [isPart(block["text"]) ? plainOf(block["text"]) : "", ...fields].filter(Boolean).join("\n");
	}
	return plainOf(block);
}

const stateMarks: Readonly<Record<string, string>> = {
	pending: "⬜",
	in_progress: "▶️",
	complete: "✅",
	error: "❌",
};

function planText({ title, tasks }: Part): string {
	return [`(plan: ${String(title)})`, ...insideOf(tasks).map(taskText)].join("\n");
}

function taskText({ status, title, details, output }: Part): string {
	const below = [details, output].filter(isPart).map(textOfBlock);
	return [`${stateMarks[String(status)]} ${String(title)}`, ...below].join("\n");
}

function rowsOf(rows: unknown): string[] {
	if (!Array.isArray(rows)) return [];
	return rows.map((cells: unknown) => `| ${insideOf(cells).map(cellText).join(" | ")} |`);
}

function cellText(cell: Part): string {
	return cell.type === "rich_text" ? insideOf(cell["elements"]).map(richText).join(" ") : plainOf(cell);
}

function richText(part: Part): string {
	const [token] = tokenOf(part);
	if (token !== undefined) return token;
	if (part.type === "text") return styled(part);
	if (part.type === "link")
		return `<${String(part["url"])}${part["text"] === undefined ? "" : `|${String(part["text"])}`}>`;
	if (part.type === "date") {
		return `<!date^${String(part["timestamp"])}^${String(part["format"])}|${String(part["fallback"])}>`;
	}
	if (part.type === "emoji") return `:${String(part["name"])}:`;
	const inside = insideOf(part["elements"]).map(richText);
	if (part.type === "rich_text_preformatted") return `\`\`\`\n${inside.join("")}\n\`\`\``;
	if (part.type === "rich_text_quote") return `> ${inside.join("")}`;
	if (part.type === "rich_text_list") return inside.map((item) => `- ${item}`).join("\n");
	return inside.join("");
}

function styled(part: Part): string {
	const { bold, italic, code, strike } = Object(part["style"]);
	const marks = [strike ? "~~" : "", bold ? "**" : "", italic ? "*" : "", code ? "`" : ""];
	return `${marks.join("")}${String(part["text"])}${marks.reverse().join("")}`;
}

function plainOf(part: Part): string {
	const { text } = part;
	if (typeof text === "string") return text;
	if (isPart(text)) return plainOf(text);
	return insideOf(part).map(plainOf).filter(Boolean).join("\n");
}

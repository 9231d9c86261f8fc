import { cutText } from "@parley/connector";
import * as z from "zod";

/**
 * Maximum attachments of a message. Slack shows at most a hundred:
 * https://docs.slack.dev/messaging/formatting-message-text#attachments
 */
const maxAttachments = 20;
/** Maximum characters of all attachments together: half of the limit for a message. */
const maxText = 20_000;

const text = z.string().catch("").default("");
const list = z.array(z.unknown()).catch([]).default([]);

/**
 * Attachment of a message. Slack also uses attachments for forwarded messages and link previews:
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments. Invalid fields are treated
 * as missing.
 */
const Attachment = z.object({
	pretext: text,
	author_name: text,
	title: text,
	title_link: text,
	text,
	fallback: text,
	fields: list,
	blocks: list,
	message_blocks: list,
	files: list,
	from_url: text,
	original_url: text,
	app_unfurl_url: text,
	is_share: z.boolean().catch(false).default(false),
});
type Attachment = z.output<typeof Attachment>;

const Field = z.object({ title: text, value: text });
const Inside = z.object({ message: z.object({ blocks: list }) });

/** Placeholder that Slack sends as `fallback` for an attachment without a preview. */
const nothing = "[no preview available]";

/** Fields of a message that can contain text. */
interface Carrying {
	readonly text: string;
	readonly blocks?: readonly unknown[] | null | undefined;
	readonly attachments?: readonly unknown[] | null | undefined;
}

/**
 * Returns the complete text of a message in mrkdwn: its text or, without text, the text of its blocks. Forwarded
 * messages and attachments follow as quotes, up to a limit. Link previews are left out.
 */
export function completeText({ text: written, blocks, attachments }: Carrying): string {
	const own = written.trim() === "" ? blocksText(blocks ?? []) : written;
	const attached = readAttachments(attachments).map(quoteOf).filter(Boolean).join("\n\n");
	return [own, cutText(attached, maxText)].filter(Boolean).join("\n\n");
}

/** Whether a message contains forwarded messages or attachments of apps. */
export function hasQuoted({ attachments }: Carrying): boolean {
	return readAttachments(attachments).length > 0;
}

/** Returns the files of a message and of its forwarded messages. */
export function sharedFiles({
	files,
	attachments,
}: {
	readonly files?: readonly unknown[] | null | undefined;
	readonly attachments?: Carrying["attachments"];
}): unknown[] {
	return [...(files ?? []), ...readAttachments(attachments).flatMap((one) => one.files)];
}

function readAttachments(attachments: Carrying["attachments"]): Attachment[] {
	// A forwarded message has the URL of its source, like a link preview, but also `is_share`.
	return (attachments ?? [])
		.flatMap((one) => Attachment.safeParse(one).data ?? [])
		.filter((one) => one.is_share || !(one.from_url || one.original_url || one.app_unfurl_url))
		.slice(0, maxAttachments);
}

function quoteOf(attachment: Attachment): string {
	const { author_name: author, title, title_link: link, pretext, fallback } = attachment;
	const name = title !== "" && link !== "" ? `<${link}|${title}>` : title;
	const head = [author, name].filter(Boolean).join(": ");
	const inside = attachment.message_blocks.flatMap((one) => Inside.safeParse(one).data?.message.blocks ?? []);
	const body = attachment.text || blocksText([...attachment.blocks, ...inside]);
	const fields = attachment.fields
		.flatMap((one) => Field.safeParse(one).data ?? [])
		.map((field) => [field.title, field.value].filter(Boolean).join(": "));
	const parts = [pretext, body, ...fields].filter(Boolean);
	const instead = name === "" && parts.length === 0 && fallback !== nothing ? fallback : "";
	const lines = [head && name === "" ? `${head}:` : head, ...parts, instead].filter(Boolean);
	const isEmpty = name === "" && parts.length === 0 && instead === "";
	return isEmpty ? "" : cutText(lines.join("\n"), maxText).replace(/^/gm, "> ");
}

interface Part {
	readonly type?: unknown;
	readonly [name: string]: unknown;
}

/** Maximum levels of nested blocks. Real blocks, for example lists in quotes, have four levels. */
const maxDepth = 12;

/** Types of blocks without text, or only with controls. */
const silent: ReadonlySet<unknown> = new Set(["actions", "input", "button", "divider"]);

/** Separators by type of the part. For other types, each element is on its own line. */
const between: ReadonlyMap<unknown, string> = new Map([
	...["rich_text_section", "rich_text_preformatted", "rich_text_quote"].map((type) => [type, ""] as const),
	["context", " "],
]);

/** Returns the text of blocks in mrkdwn: https://docs.slack.dev/reference/block-kit/blocks */
function blocksText(blocks: readonly unknown[]): string {
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
	if (depth > maxDepth || silent.has(type)) return "";
	const named = nameOf(part);
	if (named !== undefined) return named;
	if (type === "image") return wordOf(part["alt_text"]);
	if (type === "table") return rowsOf(part["rows"], depth);
	// Slack escapes all text except the text of rich text and of table cells.
	if (type === "text" || type === "raw_text") return escaped(wordOf(text));
	if (typeof text === "string") return text;
	return [
		isPart(text) ? textOf(text, depth + 1) : "",
		joined(part["fields"], "\n", depth + 1),
		joined(part["elements"], between.get(type) ?? "\n", depth + 1),
	]
		.filter(Boolean)
		.join("\n");
}

/**
 * Returns a mention, an emoji or a link in mrkdwn, or undefined for any other part:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#element-types
 */
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

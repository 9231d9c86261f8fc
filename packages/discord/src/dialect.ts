import {
	type Block,
	type Dialect,
	type Inline,
	type LineSyntax,
	type Link,
	plainText,
	writeLines,
} from "@parley/connector";
import { lengthOf } from "./vocabulary/limits.ts";

/** Word joiner (U+2060): an invisible character to insert between two characters that would form a mark. */
const joiner = "\u2060";

/** Marks anywhere in a line. Discord would show a backslash before any other character. */
const inlineMark = /[\\*_~`|<[\]@]/g;
/** Headings, small print, quotes and lists. */
const lineMark = /^(?=[#>+-])/gm;
const indentedLineMark = /^([ \t]+)(?=[#>+-])/gm;
const lineNumber = /^([ \t]*\d{1,9})(?=[.)])/gm;
const address = /(https?|steam|discord)(?=:\/\/)/gi;
const emojiName = /:(?=\w+:)/g;

/** Patterns of the links from `roleMarkdown`, `personMarkdown` and `momentMarkdown`. */
const roleLink = /^https:\/\/role\.invalid\/(\d{1,20})$/;
const personLink = /^https:\/\/discord\.com\/users\/(\d{1,20})$/;
const momentLink = /^https:\/\/moment\.invalid\/(\d{1,12})$/;
/** Pattern of labels that Discord does not accept as the text of a link. */
const misleading = /[\\<>[\]]|:\/\/|\p{Extended_Pictographic}/u;

/**
 * Returns Markdown that `discordDialect` writes as a relative timestamp. `at` is in milliseconds since the
 * epoch.
 */
export function momentMarkdown(at: number): string {
	const label = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
	return `[${label}](https://moment.invalid/${Math.floor(at / 1000)})`;
}

/**
 * Returns Markdown that `discordDialect` writes as a mention of a person. The `allowed_mentions` of the Discord
 * message decide whether the mention notifies the person.
 */
export function personMarkdown(id: string): string {
	return `[user ${id}](https://discord.com/users/${id})`;
}

/**
 * Returns Markdown that `discordDialect` writes as a mention of a role. The `allowed_mentions` of the Discord
 * message decide whether the mention notifies the members with the role.
 */
export function roleMarkdown(id: string): string {
	return `[role ${id}](https://role.invalid/${id})`;
}

function escaped(value: string): string {
	return value
		.replace(inlineMark, "\\$&")
		.replace(lineMark, "\\")
		.replace(indentedLineMark, "$1\\")
		.replace(lineNumber, "$1\\")
		.replace(address, "$1\\")
		.replace(emojiName, "\\:");
}

function writeCode(value: string): string {
	if (value === "") return "";
	if (!value.includes("`")) return `\`${value}\``;
	// Three backticks would start a code block.
	if (value.includes("``")) return `\`\` ${value.replaceAll("`", "ˋ")} \`\``;
	return `\`\` ${value} \`\``;
}

function writeStyled(type: "strong" | "emphasis" | "delete", inner: string): string {
	if (inner === "") return "";
	if (type === "strong") return `**${inner}**`;
	if (type === "emphasis") return `_${inner}_`;
	return inner.endsWith("~") ? `~~${inner}${joiner}~~` : `~~${inner}~~`;
}

function writeLink({ url, children }: Link, write: (nodes: Link["children"]) => string): string {
	const person = personLink.exec(url)?.[1];
	if (person !== undefined) return `<@${person}>`;
	const role = roleLink.exec(url)?.[1];
	if (role !== undefined) return `<@&${role}>`;
	const moment = momentLink.exec(url);
	if (moment !== null) return `<t:${moment[1]}:R>`;
	const label = write(children);
	const plain = plainText(children);
	const bare = encoded(url, /[\s<>]/g);
	if (!/^https?:/i.test(url)) {
		const mailbox = url.replace(/^mailto:/i, "");
		return plain === mailbox || plain === url ? label : `${label} (${escaped(mailbox)})`;
	}
	if (plain === url) return `<${bare}>`;
	if (plain.trim() === "" || misleading.test(label)) return `${label} (<${bare}>)`;
	return `[${label}](${encoded(url, /[\s<>()\\]/g)})`;
}

function encoded(url: string, marks: RegExp): string {
	return url.replace(marks, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** Returns one word without `#`, as Discord requires, or an empty text. */
function languageOf(lang: string | undefined): string {
	if (lang === "c#") return "cs";
	return lang !== undefined && /^[\w+.-]+$/.test(lang) ? lang : "";
}

const marks: LineSyntax = {
	text: escaped,
	inlineCode: writeCode,
	styled: writeStyled,
	link: writeLink,
	heading({ depth, children }, write) {
		const inner = write(children).replaceAll("\n", " ").trim();
		// Discord removes `#` at the end of a heading.
		return inner === "" ? "" : `${"#".repeat(depth)} ${inner}${inner.endsWith("#") ? joiner : ""}`;
	},
	code(value, lang) {
		// Discord does not show an empty code block.
		const shown = value.trim() === "" ? `${value}\u200b` : value.replace(/``(?=`)/g, `\`\`${joiner}`);
		return `\`\`\`${languageOf(lang)}\n${shown}\n\`\`\``;
	},
	item(number, checked) {
		const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
		return `${number === undefined ? "-" : `${number}.`} ${box}`;
	},
	quote: "> ",
	thematicBreak: "———",
};

/**
 * Discord's dialect of Markdown. Escapes marks in text. Links from `personMarkdown`, `roleMarkdown` and
 * `momentMarkdown` become mentions and timestamps in Discord's format.
 */
export const discordDialect: Dialect = {
	write: (blocks: readonly Block[]) => writeLines(supportedBlocks(blocks), marks).toWellFormed(),
	small: (written) => `-# ${written}`,
	measure: lengthOf,
	// Discord wraps wider tables in a narrow window.
	tableColumns: 60,
};

type Styled = Extract<Inline, { type: "strong" | "emphasis" | "delete" }>;

/**
 * Invisible node to insert between two nodes. Without it, Discord would parse the adjacent marks of the two nodes
 * as one mark.
 */
const separator: Inline = { type: "text", value: "\u2060" };

interface Around {
	readonly inList: boolean;
	readonly inQuote: boolean;
}

/**
 * Replaces structures that Discord does not support:
 * - a quote in a quote
 * - a heading in a list or below the third level
 * - a style inside itself
 *
 * Separates adjacent delimiters that would be misread.
 */
function supportedBlocks(blocks: readonly Block[]): Block[] {
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

/** Merges adjacent nodes of one style, because their marks would be parsed as another mark. */
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
		return next !== undefined && wouldRunTogether(node, next) ? [node, separator] : [node];
	});
}

/**
 * Whether two adjacent nodes need a separator, because Discord would otherwise parse them together. Cases: `_a_b`,
 * `~~a~~_b_`, and two adjacent code spans.
 */
function wouldRunTogether(node: Inline, next: Inline): boolean {
	if (node.type === "inlineCode") return next.type === "inlineCode";
	if (node.type === "emphasis") return next.type === "text" && /^\w/.test(next.value);
	return node.type === "delete" && next.type === "emphasis";
}

import {
	type Block,
	type Dialect,
	type Inline,
	type Link,
	type Marks,
	plainText,
	writeLines,
} from "@parley/connector";
import { lengthOf } from "./vocabulary/limits.ts";

/** Keeps two characters apart that together would be a mark; nobody sees it. */
const joiner = "\u2060";

/** Whatever may be one inside a line, and its own escape. A backslash before a letter would stay visible. */
const inlineMark = /[\\*_~`|<[\]@]/g;
/** Headings, small print, quotes, lists: marks where a line begins. */
const lineMark = /^(?=[#>+-])/gm;
const indentedLineMark = /^([ \t]+)(?=[#>+-])/gm;
const lineNumber = /^([ \t]*\d{1,9})(?=[.)])/gm;
const address = /(https?|steam|discord)(?=:\/\/)/gi;
const emojiName = /:(?=\w+:)/g;

/** Links that stand for something else than a page, and what Discord shows for them. */
const personLink = /^https:\/\/discord\.com\/users\/(\d{1,20})$/;
const momentLink = /^https:\/\/moment\.invalid\/(\d{1,12})\/([Rf])$/;
/** What Discord does not show as the text of a link: it might lead astray. */
const misleading = /[\\<>[\]]|:\/\/|\p{Extended_Pictographic}/u;

/** Markdown of the kit that shows up as a moment in the reader's own time; elsewhere as its label. */
export function momentMarkdown(at: number, style: "relative" | "exact"): string {
	const label = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
	return `[${label}](https://moment.invalid/${Math.floor(at / 1000)}/${style === "relative" ? "R" : "f"})`;
}

/** Markdown of the kit that shows up as a person's name; whether it calls them, `allowed_mentions` decides. */
export function personMarkdown(id: string): string {
	return `[user ${id}](https://discord.com/users/${id})`;
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
	// Three in a row would open a block.
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
	const moment = momentLink.exec(url);
	if (moment !== null) return `<t:${moment[1]}:${moment[2]}>`;
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

/** A language is one word to Discord, without `#`. */
function languageOf(lang: string | undefined): string {
	if (lang === "c#") return "cs";
	return lang !== undefined && /^[\w+.-]+$/.test(lang) ? lang : "";
}

const marks: Marks = {
	text: escaped,
	inlineCode: writeCode,
	styled: writeStyled,
	link: writeLink,
	heading({ depth, children }, write) {
		const inner = write(children).replaceAll("\n", " ").trim();
		// Discord takes `#` off the end of headings.
		return inner === "" ? "" : `${"#".repeat(depth)} ${inner}${inner.endsWith("#") ? joiner : ""}`;
	},
	code(value, lang) {
		// A block without a character is none to Discord.
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
 * Discord's Markdown. Text comes out as it is: no mention, link, emoji or style is in it. Links of `personMarkdown` and
 * `momentMarkdown` become what Discord has for them.
 */
export const discordDialect: Dialect = {
	write: (blocks: readonly Block[]) => writeLines(asDiscordHasThem(blocks), marks).toWellFormed(),
	small: (written) => `-# ${written}`,
	measure: lengthOf,
	// More are wrapped where Discord is narrow.
	tableColumns: 60,
};

type Styled = Extract<Inline, { type: "strong" | "emphasis" | "delete" }>;

/** Stands between two nodes whose marks would be read as one; nobody sees it. */
const separator: Inline = { type: "text", value: "\u2060" };

interface Around {
	readonly inList: boolean;
	readonly inQuote: boolean;
}

/**
 * The same blocks in the structure that Discord knows: no quote in a quote, no heading in a list and none below the
 * third level, no style inside of itself and no two marks side by side that would be read as another one.
 */
function asDiscordHasThem(blocks: readonly Block[]): Block[] {
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
		return next !== undefined && wouldRunTogether(node, next) ? [node, separator] : [node];
	});
}

/** `_a_b` is no emphasis, `~~a~~_b_` nothing struck, and of two code spans one may end in the other. */
function wouldRunTogether(node: Inline, next: Inline): boolean {
	if (node.type === "inlineCode") return next.type === "inlineCode";
	if (node.type === "emphasis") return next.type === "text" && /^\w/.test(next.value);
	return node.type === "delete" && next.type === "emphasis";
}

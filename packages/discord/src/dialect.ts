import { type Block, type Dialect, type Link, type Marks, plainText, writeLines } from "@parley/connector";
import { lengthOf } from "./limits.ts";
import { asDiscordHasThem } from "./plain-structure.ts";

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

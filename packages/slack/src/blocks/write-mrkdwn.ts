import { type Block, type Link, type Marks, plainText, writeLines } from "@parley/connector";
import { addressOf, harmless, joiner, visible } from "./marks.ts";
import { momentOf, momentToken } from "./moments.ts";

const fences = { strong: "*", emphasis: "_", delete: "~" } as const;

/** mrkdwn has no escape: a joiner on both sides keeps a mark from being one. */
function escaped(value: string): string {
	return harmless(value)
		.replace(/[*_~`]/g, `${joiner}$&${joiner}`)
		.replace(/^(?=&gt;)/gm, joiner);
}

function writeLink({ url, children }: Link): string {
	const moment = momentOf(url);
	if (moment !== undefined) return momentToken(moment);
	const label = escaped(plainText(children)).replaceAll("|", "¦").replaceAll("\n", " ").trim();
	return `<${addressOf(url).replaceAll("&", "&amp;")}${label === "" ? "" : `|${label}`}>`;
}

/** What is code here cannot hold the mark that ends it. */
function writeCode(value: string): string {
	if (value === "") return "";
	return value.includes("`") ? escaped(value) : `\`${entitiesOnly(value)}\``;
}

/** Pictures stay names in code. */
function entitiesOnly(value: string): string {
	return visible(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const marks: Marks = {
	text: escaped,
	inlineCode: writeCode,
	styled: (type, inner) => (inner.trim() === "" ? inner : `${fences[type]}${inner}${fences[type]}`),
	link: writeLink,
	heading: ({ children }, write) => `*${write(children).replaceAll("\n", " ").trim()}*`,
	code: (value) => `\`\`\`\n${entitiesOnly(value).replace(/``(?=`)/g, `\`\`${joiner}`)}\n\`\`\``,
	item(number, checked) {
		const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
		return `${number === undefined ? "•" : `${number}.`} ${box}`;
	},
	quote: "> ",
	thematicBreak: "———",
};

/** Blocks as mrkdwn, Slack's own marks: messaging/formatting-message-text#basic-formatting. */
export function writeMrkdwn(blocks: readonly Block[]): string {
	return writeLines(blocks, marks).toWellFormed();
}

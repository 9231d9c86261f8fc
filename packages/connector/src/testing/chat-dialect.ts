import type { Dialect } from "../text/dialect.ts";
import { plainText } from "../text/document.ts";
import { type LineSyntax, writeLines } from "../text/write-lines.ts";

const symbols = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escaped(value: string): string {
	return value.replace(/[&<>]/g, (symbol) => symbols[symbol as keyof typeof symbols]);
}

const syntax: LineSyntax = {
	// Word joiners on both sides prevent a character from starting or ending a style.
	text: (value) => escaped(value).replace(/[*_~`]/g, "\u2060$&\u2060"),
	inlineCode: (value) => `\`${escaped(value).replaceAll("`", "ˋ")}\``,
	styled: (type, inner) => ({ strong: `*${inner}*`, emphasis: `_${inner}_`, delete: `~${inner}~` })[type],
	link: ({ url, children }) => `<${escaped(url)}|${escaped(plainText(children)).replaceAll("|", "¦")}>`,
	heading: ({ children }) => `*${escaped(plainText(children))}*`,
	code: (value) => `\`\`\`\n${escaped(value).replaceAll("```", "`\u2060`\u2060`")}\n\`\`\``,
	item: (number, checked) =>
		`${number === undefined ? "•" : `${number}.`} ${checked === undefined ? "" : checked ? "☑ " : "☐ "}`,
	quote: "> ",
	thematicBreak: "———",
};

/**
 * Dialect with a different markup from Markdown. Escapes are longer than the escaped characters, and lengths are in code
 * points.
 */
export const chatDialect: Dialect = {
	write: (blocks) => writeLines(blocks, syntax),
	measure: (written) => [...written].length,
	tableColumns: 40,
};

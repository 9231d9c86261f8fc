import { refractor } from "refractor";
import { hasColours, type Styles } from "../../text/styles.ts";
import { plainStyle, type Span, type Style } from "./styled-text.ts";

type Node = ReturnType<typeof refractor.highlight>["children"][number];

/** Colours of tokens: https://prismjs.com/tokens.html */
const colours: Readonly<Record<string, keyof Styles>> = {
	comment: "dim",
	prolog: "dim",
	keyword: "magenta",
	boolean: "magenta",
	tag: "magenta",
	builtin: "cyan",
	"class-name": "cyan",
	function: "blue",
	property: "blue",
	"attr-name": "blue",
	string: "green",
	char: "green",
	regex: "green",
	"attr-value": "green",
	inserted: "green",
	deleted: "red",
	number: "yellow",
	constant: "yellow",
	symbol: "yellow",
	variable: "yellow",
};

/** Returns code as spans, with colours if the language is known. The code may be incomplete. */
export function highlight(code: string, language: string | undefined, styles: Styles): Span[] {
	const name = language?.toLowerCase();
	if (name === undefined || !hasColours(styles) || !refractor.registered(name)) {
		return [{ text: code, style: plainStyle }];
	}
	return refractor.highlight(code, name).children.flatMap((node) => spansOf(node, plainStyle, styles));
}

function spansOf(node: Node, style: Style, styles: Styles): Span[] {
	if (node.type === "text") return [{ text: node.value, style }];
	if (node.type !== "element") return [];
	const { className } = node.properties;
	const names = Array.isArray(className) ? className : [];
	const colour = names.map((name) => colours[String(name)]).find((found) => found !== undefined);
	const own = colour === undefined ? style : styles[colour];
	return node.children.flatMap((child) => spansOf(child, own, styles));
}

import {
	applyEdits,
	createScanner,
	findNodeAtLocation,
	getNodeValue,
	modify,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from "jsonc-parser";
import { ParleyError } from "./errors.ts";

/** Maximum levels of nested lists and objects, as in `parseJson`. */
const maxDepth = 64;

/** Keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

/** Content of a configuration file, without checks of the values, and the positions of the values. */
export interface CommentedJson {
	readonly values: Readonly<Record<string, unknown>>;
	/**
	 * Returns the position of the value at `path`, in the form `FILE:LINE:COLUMN`. If the value does not exist, returns
	 * the position of the nearest parent that exists. Lines and columns start at 1.
	 */
	locate(path: JsonPath): string;
}

/**
 * Parses the text of a JSON object with comments and trailing commas. `path` names the file in errors. Throws
 * `invalid_argument` if the text is not such an object, has a duplicate key, or has more than 64 levels of lists and
 * objects.
 */
export function parseCommentedJson(path: string, source: string): CommentedJson {
	const text = source.replace(/^\uFEFF/, "");
	// The depth is limited, because the parser recurses at each level.
	if (isNestedBeyond(text, maxDepth))
		throw refused(`${path}: it has more than ${maxDepth} levels of lists and objects: use fewer levels`);
	const at = (offset: number): string => {
		const lines = text.slice(0, offset).split("\n");
		return `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
	};
	const errors: ParseError[] = [];
	const tree = parseTree(text, errors, { allowTrailingComma: true });
	const [error] = errors;
	if (error !== undefined) throw refused(`${at(error.offset)}: ${inWords(error)}`);
	if (tree?.type !== "object")
		throw refused(`${at(tree?.offset ?? 0)}: the file must contain one object: { … }`);
	const twice = findTwice(tree, []);
	if (twice) throw refused(`${at(twice.node.offset)}: ${twice.name} is set twice: remove one of the two`);
	return {
		values: Object.fromEntries(properties(tree).map(([key, node]) => [key, getNodeValue(node)])),
		locate(requested) {
			const prefixes = requested.map((_, index) => requested.slice(0, requested.length - index));
			const nodes = prefixes.map((prefix) => findNodeAtLocation(tree, [...prefix]));
			return at(nodes.find((node) => node !== undefined)?.offset ?? 0);
		},
	};
}

/**
 * Returns `source` with the value at `path` set, or removed if `value` is undefined. Preserves comments and the format
 * of other lines. `parseCommentedJson` must accept `source`.
 */
export function editCommentedJson(source: string, path: JsonPath, value: unknown): string {
	const indent = /^([ \t]+)\S/m.exec(source)?.[1] ?? "\t";
	const isTab = indent.startsWith("\t");
	const formattingOptions = {
		insertSpaces: !isTab,
		tabSize: isTab ? 1 : indent.length,
		eol: source.includes("\r\n") ? "\r\n" : "\n",
	};
	return applyEdits(source, modify(source, [...path], value, { formattingOptions }));
}

/**
 * Returns `source` with `value` appended, in one line, to the list at `path`. Preserves comments and the format of
 * other lines. `parseCommentedJson` must accept `source`. Throws `invalid_argument` if there is no list at `path`.
 */
export function appendCommentedJson(source: string, path: JsonPath, value: unknown): string {
	const tree = parseTree(source, [], { allowTrailingComma: true });
	const list = tree && findNodeAtLocation(tree, [...path]);
	if (list?.type !== "array")
		throw refused(
			`cannot append to ${path.join(".")}: it is missing or not a list; add the list to the file`,
		);
	const item = inlineJson(value);
	const close = list.offset + list.length - 1;
	const last = list.children?.at(-1);
	const end = last ? last.offset + last.length : list.offset + 1;
	const hasComma = last !== undefined && hasCommaIn(source.slice(end, close));
	const before = source.slice(0, end) + (last && !hasComma ? "," : "") + source.slice(end, close);
	const after = source.slice(close);
	const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
	const closing = /^[ \t]*$/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0];
	if (closing === undefined && last) return `${before} ${item}${after}`;
	const outer = closing ?? /^[ \t]*/.exec(source.slice(source.lastIndexOf("\n", close) + 1))?.[0] ?? "";
	const indent = last ? indentOf(source, last.offset) : undefined;
	const row = `${indent ?? `${outer}\t`}${item}${hasComma ? "," : ""}${lineEnd}`;
	if (closing === undefined) return `${before}${lineEnd}${row}${outer}${after}`;
	return `${before.slice(0, before.length - closing.length)}${row}${closing}${after}`;
}

/** Returns JSON in one line, with spaces between its parts. */
export function inlineJson(value: unknown): string {
	// Only line breaks between parts match, because line breaks in strings are escaped.
	return JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, " ");
}

/**
 * Returns the spaces and tabs between the start of the line and `offset`. Returns undefined if the line has other text
 * before `offset`.
 */
function indentOf(source: string, offset: number): string | undefined {
	return /^[ \t]*$/.exec(source.slice(source.lastIndexOf("\n", offset - 1) + 1, offset))?.[0];
}

/** Whether `text`, which contains only spaces, comments and commas, contains a comma outside of comments. */
function hasCommaIn(text: string): boolean {
	const scanner = createScanner(text, true);
	scanner.scan();
	return text[scanner.getTokenOffset()] === ",";
}

/** Whether arrays and objects are nested deeper than `levels`. `text` may be invalid JSON. */
function isNestedBeyond(text: string, levels: number): boolean {
	const scanner = createScanner(text, true);
	let open = 0;
	while (open <= levels && scanner.getPosition() < text.length) {
		scanner.scan();
		const sign = text[scanner.getTokenOffset()];
		if (sign === "[" || sign === "{") open += 1;
		if (sign === "]" || sign === "}") open -= 1;
	}
	return open > levels;
}

function findTwice(node: Node, names: readonly string[]): { node: Node; name: string } | undefined {
	const seen = new Set<string>();
	for (const [key, value] of entriesOf(node)) {
		const path = [...names, key];
		if (seen.has(key)) return { node: value, name: path.join(".") };
		seen.add(key);
		const deeper = findTwice(value, path);
		if (deeper) return deeper;
	}
	return undefined;
}

function entriesOf(node: Node): [string, Node][] {
	if (node.type === "array") return (node.children ?? []).map((item, at) => [String(at), item]);
	return node.type === "object" ? properties(node) : [];
}

function properties({ children = [] }: Node): [string, Node][] {
	return children.map(({ children: [key, value] = [] }) => {
		if (key === undefined || value === undefined) {
			throw new ParleyError("the JSON parser did not report a property without a value", {
				code: "internal",
			});
		}
		return [String(key.value), value];
	});
}

/** Returns the code of the error as words, for example `comma expected` for `CommaExpected`. */
function inWords({ error }: ParseError): string {
	return printParseErrorCode(error)
		.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
		.toLowerCase();
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

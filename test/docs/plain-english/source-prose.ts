import { type ESTree, type ParseResult, parseSync, Visitor } from "rolldown/utils";
import { functionStarts } from "./function-starts.ts";
import type { Kind, Prose } from "./prose.ts";

/** String literals to check in addition to comments: all sentences as texts or as names, or only test titles. */
export type Literals = "texts" | "names" | "titles";

/** Returns the prose in the comments and string literals of a source. Throws if the source has a syntax error. */
export function sourceProse(file: string, source: string, literals: Literals): Prose[] {
	const { program, comments, errors } = parseSync(file, source);
	if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
	const lineAt = lineFinder(source);
	const literalProse = literals === "titles" ? testTitles(program) : sentenceLiterals(program);
	const kind: Kind = literals === "texts" ? "texts" : "names";
	const functions = functionStarts(program);
	const isFunctionDoc = ({ end, isDoc }: CommentLines): boolean =>
		isDoc && functions.has(end + (/^[ \t]*\n?[ \t]*/.exec(source.slice(end))?.[0].length ?? 0));
	return [
		...joinedComments(comments, source).flatMap((comment) => {
			const [first, ...rest] = commentProse(comment, lineAt);
			return first === undefined ? [] : [{ ...first, isFunctionDoc: isFunctionDoc(comment) }, ...rest];
		}),
		...literalProse.flatMap(({ text, start }) =>
			text.split("\n").map((text) => ({ kind, text, line: lineAt(start) })),
		),
	];
}

/** Returns a function that returns the line number of an index. Line numbers start at 1. */
function lineFinder(source: string): (index: number) => number {
	const starts = [...source.matchAll(/\n/g)].map(({ index }) => index + 1);
	return (index) => {
		let low = 0;
		let high = starts.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((starts[middle] ?? 0) <= index) low = middle + 1;
			else high = middle;
		}
		return low + 1;
	};
}

type Comment = ParseResult["comments"][number];
interface CommentLines {
	readonly start: number;
	readonly end: number;
	/** Whether the comment is a doc comment that begins with a sentence. */
	readonly isDoc: boolean;
	readonly lines: string[];
}

function joinedComments(comments: readonly Comment[], source: string): CommentLines[] {
	const groups: CommentLines[] = [];
	let end = -1;
	for (const comment of comments) {
		const isLine = comment.type === "Line";
		const last = groups.at(-1);
		if (isLine && last !== undefined && end >= 0 && /^\n[ \t]*$/.test(source.slice(end, comment.start)))
			last.lines.push(comment.value);
		else {
			const { start, end, value } = comment;
			groups.push({
				start,
				end,
				isDoc: !isLine && /^\*\s*(?:\*\s*)?[^@\s*]/.test(value),
				lines: value.split("\n"),
			});
		}
		end = isLine ? comment.end : -1;
	}
	return groups;
}

const directive = /^[*\s!]*(?:biome-|@ts-|eslint|v8 |c8 |#|\/ <reference|vite-|@vite|prettier-)/;
/** Pattern of tags with a type or a name but no prose. */
const tagOfType = /^@(?:type|typedef|property|template|satisfies|import|extends|see|internal|default)\b/;
const tagOfProse = /^@(\w+)\s*(?:\{[^}]*\}\s*)?/;

function commentProse({ start, lines }: CommentLines, lineAt: (index: number) => number): Prose[] {
	if (directive.test(lines[0] ?? "")) return [];
	const prose: Prose[] = [];
	const first = lineAt(start);
	let paragraph: { line: number; lines: string[] } | undefined;
	let isCode = false;
	const flush = (): void => {
		if (paragraph !== undefined)
			prose.push({ kind: "comments", text: paragraph.lines.join("\n"), line: paragraph.line });
		paragraph = undefined;
	};
	for (const [index, raw] of lines.entries()) {
		const text = raw.replace(/^\s*\*{0,2}(?: |$)/, "");
		const line = text.trim();
		if (/^(?:```|@example)/.test(line)) isCode = !isCode;
		else if (line.startsWith("@")) isCode = false;
		const isItem = /^(?:[-*] |\d+\. |@)/.test(line);
		if (line === "" || isItem || isCode) flush();
		// Deeper indentation marks a diagram or a code sample.
		if (line === "" || isCode || line.startsWith("```") || tagOfType.test(line) || /^(?:\t| {3})/.test(text))
			continue;
		paragraph ??= { line: first + index, lines: [] };
		paragraph.lines.push(withoutTag(line).replace(/^(?:[-*] |\d+\. )/, ""));
	}
	flush();
	return prose;
}

/** Returns TEXT for `@param {string} name TEXT`. */
function withoutTag(line: string): string {
	const tag = tagOfProse.exec(line);
	if (tag === null) return line;
	const rest = line.slice(tag[0].length);
	return tag[1] === "param" ? rest.replace(/^\S+\s*(?:- )?/, "") : rest;
}

interface Found {
	readonly text: string;
	readonly start: number;
}

function testTitles(program: ESTree.Program): Found[] {
	const titles: Found[] = [];
	const visitor = new Visitor({
		CallExpression({ callee, arguments: [title] }) {
			if (title === undefined || !["test", "it", "describe"].includes(rootName(callee))) return;
			const text = textOf(title);
			if (text !== undefined) titles.push({ text, start: title.start });
		},
	});
	visitor.visit(program);
	return titles;
}

/** Returns the first name of a callee, for example `test` for `test.each(rows)`. */
function rootName(callee: ESTree.Expression | ESTree.Super): string {
	if (callee.type === "Identifier") return callee.name;
	if (callee.type === "MemberExpression") return rootName(callee.object);
	return callee.type === "CallExpression" ? rootName(callee.callee) : "";
}

/** Returns the sentences in string literals. Excludes tagged templates, which contain SQL. */
function sentenceLiterals(program: ESTree.Program): Found[] {
	const literalProse: Found[] = [];
	/** Nodes to skip: parts of a concatenation or a tagged template, and literal types. */
	const seen = new Set<ESTree.Node>();
	const add = (node: ESTree.Node): void => {
		if (seen.has(node)) return;
		const text = textOf(node);
		if (text !== undefined && isSentence(text)) literalProse.push({ text, start: node.start });
	};
	const visitor = new Visitor({
		TaggedTemplateExpression: ({ quasi }) => void seen.add(quasi),
		BinaryExpression(node) {
			if (node.operator !== "+") return;
			add(node);
			seen.add(node.left).add(node.right);
		},
		TSLiteralType: ({ literal }) => void seen.add(literal),
		TemplateLiteral: add,
		Literal: add,
	});
	visitor.visit(program);
	return literalProse;
}

/** Returns the text of a string, a template or a concatenation, with `{…}` for values. Undefined without a text. */
export function textOf(node: ESTree.Node): string | undefined {
	if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
	if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? "").join("{…}");
	if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
	const parts = [node.left, node.right].map(textOf);
	return parts.every((part) => part === undefined) ? undefined : parts.map((part) => part ?? "{…}").join("");
}

const sql =
	/^\s*(?:select|insert|update|delete|create|alter|drop|with|pragma|begin|commit|analyze|vacuum)\b[\s\S]*\b(?:from|into|set|table|index|where|values|trigger)\b/i;

/** Whether a text is prose: at least three words, which are at least half of its parts. False for SQL. */
export function isSentence(text: string): boolean {
	const words = text.split(/\s+/).filter((word) => /^[("'“‘]*\p{L}[\p{L}'’-]*[)"'”’.,;:!?…]*$/u.test(word));
	return words.length >= 3 && words.length * 2 >= text.trim().split(/\s+/).length && !sql.test(text);
}

import { defined, ParleyError } from "@parley/base";
import { parse, TomlError } from "smol-toml";
import { CST, type Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";
import { shorten, visible } from "../../text/visible.ts";
import { frontmatterTexts } from "./texts.ts";

/** Maximum bytes of the frontmatter. */
const maxFrontmatter = 64 * 1024;
/** Maximum levels of nested lists and maps below the top level. */
const maxDepth = 16;
/**
 * Maximum of `levels` in the result of `sizeOf`. This maximum exceeds `maxDepth`, because `levels` also includes the
 * columns in which nested values begin.
 */
const levelLimit = 64;
/**
 * Maximum YAML tokens. A workflow of 50 steps with 50 criteria and all possible needs has about 21,000. The parser needs
 * much time for each error in a malformed text.
 */
const maxTokens = 24_000;

export interface SkillFile {
	/** Value of the frontmatter. An empty object if the file has no frontmatter. */
	readonly facts: unknown;
	readonly body: string;
	/** Returns the line number in the file, from 1, of the value at a path. Returns undefined if the line is unknown. */
	lineOf(path: readonly (string | number)[]): number | undefined;
}

/**
 * Splits a text into frontmatter and body. `---` lines enclose YAML, and `+++` lines enclose TOML. If these lines are
 * missing, the text is only a body. Throws `invalid_argument`, with the line if it is known:
 * - if the frontmatter is not closed or cannot be read
 * - if YAML contains an alias
 * - if the frontmatter exceeds 64 KiB, 24,000 YAML tokens, or 16 levels of nested lists and maps
 */
export function readFrontmatter(content: string): SkillFile {
	const text = content.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
	const [opening, mark] = /^\s*(---(?=[ \t]*\n)|\+\+\+)/.exec(text) ?? [];
	if (opening === undefined || mark === undefined) {
		return { facts: {}, body: text.trim(), lineOf: () => undefined };
	}
	const before = opening.split("\n").length - 1;
	const rest = text.slice(opening.length);
	const end = (mark === "---" ? /\n(?:---|\.\.\.)[ \t]*(?=\n|$)/ : /\n\+\+\+/).exec(rest);
	if (!end) {
		throw refused(frontmatterTexts.notClosed(before + 1, mark));
	}
	const inner = rest.slice(0, end.index);
	if (Buffer.byteLength(inner) > maxFrontmatter) {
		throw refused(frontmatterTexts.tooLarge(maxFrontmatter / 1024));
	}
	const body = rest.slice(end.index + end[0].length).trim();
	const facts = mark === "---" ? readYaml(inner, before) : readToml(inner, before);
	return { ...facts, body };
}

type Facts = Omit<SkillFile, "body">;

function readYaml(text: string, before: number): Facts {
	const first = parseYaml(text, before);
	// Other agents accept an unquoted colon in a description, although it is invalid YAML.
	const read = "facts" in first ? first : parseYaml(quoteValues(text), before);
	if ("facts" in read) return read;
	throw "problem" in first ? first.problem : read.problem;
}

function parseYaml(text: string, before: number): Facts | { readonly problem: ParleyError } {
	const tooNested = { problem: refused(frontmatterTexts.tooNested(maxDepth)) };
	const { tokens, levels } = sizeOf(text);
	if (levels > levelLimit) return tooNested;
	if (tokens > maxTokens) return { problem: refused(frontmatterTexts.tooManyTokens(maxTokens)) };
	const counter = new LineCounter();
	const document = parseWithoutStacks(text, counter);
	const [wrong] = [...document.errors, ...document.warnings];
	if (wrong) {
		const line = counter.linePos(wrong.pos[0]).line + before;
		return { problem: refused(frontmatterTexts.atLine(line, wrong.message), wrong) };
	}
	const twice = repeatedKey(document);
	if (twice) {
		const line = counter.linePos(twice.at).line + before;
		return { problem: refused(frontmatterTexts.atLine(line, frontmatterTexts.twice(twice.key))) };
	}
	try {
		const facts: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
		if (isNestedBeyond(facts, maxDepth)) return tooNested;
		return {
			facts,
			lineOf: (path) => {
				const at = positionOf(document.contents, path);
				return at === undefined ? undefined : counter.linePos(at).line + before;
			},
		};
	} catch (cause) {
		return { problem: refused(frontmatterTexts.alias, cause) };
	}
}

/** Parses YAML. The errors of the document have no stack traces, which take most of the time for a malformed text. */
function parseWithoutStacks(text: string, lineCounter: LineCounter): Document.Parsed {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	try {
		return parseDocument(text, {
			lineCounter,
			schema: "core",
			prettyErrors: false,
			logLevel: "silent",
			// The parser compares each key with all earlier keys, which takes quadratic time.
			uniqueKeys: false,
		});
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

/** Returns the first key that an earlier key of the same map equals, with its position. */
function repeatedKey(document: Document.Parsed): { readonly key: string; readonly at: number } | undefined {
	let found: { readonly key: string; readonly at: number } | undefined;
	visit(document, {
		Map(_, { items }) {
			const values = new Set<unknown>();
			for (const { key } of items) {
				if (!isScalar(key)) continue;
				if (values.has(key.value)) {
					const shown = visible(JSON.stringify(shorten(String(key.value), 100)));
					found = { key: shown, at: key.range?.[0] ?? 0 };
					return visit.BREAK;
				}
				values.add(key.value);
			}
			return undefined;
		},
	});
	return found;
}

/**
 * Returns the position of the key of the value at `path`. For a list item, returns the position of the item. For a
 * missing value, returns the position of the nearest existing parent, if known.
 */
function positionOf(node: unknown, path: readonly (string | number)[]): number | undefined {
	const [step, ...rest] = path;
	if (step === undefined) return isNode(node) ? node.range?.[0] : undefined;
	if (!isMap(node)) {
		const item =
			isNode(node) && "items" in node && Array.isArray(node.items) ? node.items[Number(step)] : undefined;
		return positionOf(item, rest) ?? positionOf(node, []);
	}
	const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
	if (!pair) return positionOf(node, []);
	return rest.length === 0 && isNode(pair.key) ? pair.key.range?.[0] : positionOf(pair.value, rest);
}

/** Tokens that open or close a list or map in brackets. */
const brackets: Readonly<Record<string, number>> = {
	"flow-seq-start": 1,
	"flow-map-start": 1,
	"flow-seq-end": -1,
	"flow-map-end": -1,
};
/** Tokens that open a list or map before the first value of a line. */
const markers = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"]);
/** Tokens that may precede the first value of a line without opening a level. */
const fillers = new Set(["space", "newline", "comment", "tag", "anchor"]);
/** Tokens without a width: the start of a document or scalar, and the end of an unclosed bracket. */
const announcements = new Set(["doc-mode", "scalar", "flow-error-end"]);

/**
 * Returns the number of tokens and the maximum number of nested levels in YAML text. Stops above a limit. Levels are
 * open brackets, and columns in which nested values begin. A nested value of YAML begins further right than its parent,
 * except a list in a map.
 */
function sizeOf(text: string): { readonly tokens: number; readonly levels: number } {
	const columns: number[] = [];
	let tokens = 0;
	let open = 0;
	let levels = 0;
	for (const { kind, column, isLead } of tokensOf(text)) {
		if (++tokens > maxTokens || levels > levelLimit) break;
		open = Math.max(0, open + (brackets[kind] ?? 0));
		if (isLead && !fillers.has(kind)) {
			while ((columns.at(-1) ?? -1) >= column) columns.pop();
			columns.push(column);
		}
		levels = Math.max(levels, open + columns.length);
	}
	return { tokens, levels };
}

interface Token {
	readonly kind: string;
	readonly column: number;
	/** Whether only markers and fillers precede the token in its line. */
	readonly isLead: boolean;
}

/**
 * Yields the tokens of YAML text, except tokens without a width. Uses no recursion, so deep nesting cannot
 * exhaust the stack.
 */
function* tokensOf(text: string): Generator<Token> {
	let column = 0;
	let isLead = true;
	let isText = false;
	for (const token of new Lexer().lex(text)) {
		const kind: string = isText ? "text" : String(CST.tokenType(token));
		isText = kind === "scalar";
		if (announcements.has(kind)) continue;
		yield { kind, column, isLead };
		const endsLine = token.endsWith("\n");
		isLead = endsLine || (isLead && (markers.has(kind) || fillers.has(kind)));
		column = endsLine ? 0 : column + token.length;
	}
}

function isNestedBeyond(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return levels < 0 || Object.values(value).some((child) => isNestedBeyond(child, levels - 1));
}

/** Returns the text with quotes around each plain top-level value that contains a colon and a space. */
function quoteValues(text: string): string {
	return text
		.split("\n")
		.map((line) => {
			// The pattern ends in a greedy part, because a lazy part before spaces takes quadratic time.
			const [, key, value = ""] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'[\]{}|>&*!#%@`-].*)$/.exec(line) ?? [];
			return key !== undefined && value.includes(": ") ? `${key}: ${JSON.stringify(value.trimEnd())}` : line;
		})
		.join("\n");
}

function readToml(text: string, before: number): Facts {
	try {
		const facts = parse(text, { maxDepth, unsafeKeyBehaviour: "throw" });
		return {
			facts,
			lineOf: (path) => {
				const line = tomlLine(text, path);
				return line === undefined ? undefined : line + before;
			},
		};
	} catch (cause) {
		if (!(cause instanceof TomlError)) throw refused(ParleyError.from(cause).message, cause);
		const [message = ""] = cause.message.replace(/^Invalid TOML document: /, "").split("\n");
		throw refused(frontmatterTexts.atLine(cause.line + before, message), cause);
	}
}

/**
 * Returns the line of the top-level key `first`, or of `key` in the table `first` at the position `index`. For an
 * unknown key in a table, returns the line of the table header.
 */
function tomlLine(text: string, [first, index = 0, key]: readonly (string | number)[]): number | undefined {
	const rows = text.split("\n");
	const headers = rows.flatMap((row, at) => {
		// Each character matches only one part of the pattern, so that the time is linear.
		const [, name] = /^\s*\[\[?([^[\]]+)\]/.exec(row) ?? [];
		return name === undefined ? [] : [{ name: name.trim().replaceAll('"', ""), at }];
	});
	const plain = rows.slice(0, headers[0]?.at).findIndex((row) => tomlKey(row) === first);
	if (plain >= 0) return plain + 1;
	const table = headers.filter(({ name }) => name === first)[Number(index)];
	if (!table) return undefined;
	const next = headers.find(({ at }) => at > table.at)?.at;
	const inside = rows.slice(table.at, next).findIndex((row) => tomlKey(row) === key);
	return table.at + Math.max(inside, 0) + 1;
}

function tomlKey(row: string): string | undefined {
	return /^\s*["']?([^"'=\s.[]+)["']?\s*[=.]/.exec(row)?.[1];
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}

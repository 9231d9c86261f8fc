import { ParleyError } from "./errors.ts";

/** Limits of documents that `parseJson` accepts. */
export interface JsonLimits {
	/** Maximum levels of nested arrays and objects. Default: 64. */
	readonly maxDepth?: number;
	/** Maximum number of values, including containers. Default: 20,000. */
	readonly maxNodes?: number;
	/** Whether an object with a duplicate key is refused. By default, the last value applies. */
	readonly uniqueKeys?: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * Parses JSON from an untrusted source. Throws `invalid_argument` if the text is not JSON or exceeds the limits. The
 * depth and the number of values are checked before parsing. Also refuses numbers that are not finite, strings and keys
 * with lone surrogates, and keys that could change a prototype. Integers above 2^53 may lose digits, as in
 * `JSON.parse`.
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
	checkSize(text, limits.maxDepth ?? 64, limits.maxNodes ?? 20_000);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw new ParleyError("text is not JSON", { code: "invalid_argument", cause });
	}
	checkValues(value);
	const twice = limits.uniqueKeys === true ? duplicateKey(text) : undefined;
	if (twice !== undefined) throw refused(`the key ${JSON.stringify(twice)} twice in one object`);
	return value;
}

/**
 * Returns the first key that occurs twice in an object of valid JSON text, even with different escapes.
 * Returns undefined if all keys are unique.
 */
export function duplicateKey(text: string): string | undefined {
	/**
	 * Keys of each open object, in the order from the outermost object to the innermost. Undefined in place of the keys
	 * for an open array.
	 */
	const open: (Set<string> | undefined)[] = [];
	let string = "";
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			const start = at;
			at = endOfString(text, start + 1);
			string = text.slice(start, at + 1);
		} else if (isOpening(code)) open.push(code === OPEN_OBJECT ? new Set() : undefined);
		else if (isClosing(code)) open.pop();
		else if (code === COLON) {
			const key = String(JSON.parse(string));
			if (open.at(-1)?.has(key)) return key;
			open.at(-1)?.add(key);
		}
	}
	return undefined;
}

/**
 * Throws if the text exceeds a limit. The counts are exact if the text is valid JSON. If it is not, `JSON.parse`
 * refuses the text later.
 */
function checkSize(text: string, maxDepth: number, maxNodes: number): void {
	let depth = 0;
	let nodes = 1;
	let previous = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code <= SPACE) continue;
		if (code === QUOTE) at = endOfString(text, at + 1);
		else if (isOpening(code)) depth++;
		else if (isClosing(code)) depth--;
		if (endsValue(code, previous)) nodes++;
		if (depth > maxDepth) throw refused(`more than ${maxDepth} levels of lists and objects`);
		if (nodes > maxNodes) throw refused(`more than ${maxNodes} values`);
		previous = code;
	}
}

function endsValue(code: number, previous: number): boolean {
	// The bracket that closes an empty container ends no value.
	return code === COMMA || (isClosing(code) && !isOpening(previous));
}

function isOpening(code: number): boolean {
	return code === OPEN_ARRAY || code === OPEN_OBJECT;
}

function isClosing(code: number): boolean {
	return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
}

/** Returns the position of the closing quote, or the length of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
	let quote = text.indexOf('"', start);
	while (quote !== -1 && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1);
	return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, at: number, start: number): boolean {
	let first = at;
	while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
	return (at - first) % 2 === 1;
}

type Container = unknown[] | Record<string, unknown>;

function checkValues(root: unknown): void {
	const containers: Container[] = [];
	checkValue(root, containers);
	for (let next = containers.pop(); next !== undefined; next = containers.pop()) {
		if (Array.isArray(next)) for (const item of next) checkValue(item, containers);
		else checkEntries(next, containers);
	}
}

/**
 * Throws if the value is not allowed. Adds an array or object to `containers` and does not check its content
 * recursively, so that a deep value cannot exhaust the stack.
 */
function checkValue(value: unknown, containers: Container[]): void {
	if (typeof value === "string") checkString(value);
	else if (typeof value === "number" && !Number.isFinite(value)) throw refused("a number that is too large");
	// The cast is safe because an object from `JSON.parse` is an array or has only string keys.
	else if (typeof value === "object" && value !== null) containers.push(value as Container);
}

function checkEntries(object: Record<string, unknown>, containers: Container[]): void {
	// `for…in` is faster than `Object.entries`. The result is the same, because objects from `JSON.parse` inherit no
	// enumerable properties.
	for (const key in object) {
		checkKey(key, object[key]);
		checkValue(object[key], containers);
	}
}

function checkKey(key: string, value: unknown): void {
	checkString(key);
	if (key === "__proto__") throw refused('the key "__proto__"');
	if (
		key === "constructor" &&
		typeof value === "object" &&
		value !== null &&
		Object.hasOwn(value, "prototype")
	) {
		throw refused('the key "constructor" whose object has the key "prototype"');
	}
}

function checkString(text: string): void {
	if (!text.isWellFormed()) throw refused("a string with a lone surrogate");
}

function refused(subject: string): ParleyError {
	return new ParleyError(`JSON text contains ${subject}`, { code: "invalid_argument" });
}

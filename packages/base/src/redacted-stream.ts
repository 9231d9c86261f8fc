import { cutShape, longestShape, REPLACEMENT, unwrap } from "./redactor-patterns.ts";

/**
 * Stream that receives text in pieces and returns the text without secrets. Delays a part of the text while the part
 * may belong to a secret.
 */
export interface RedactedStream {
	/**
	 * Returns the text that is safe to show, from this piece and from delayed text. Returns "" if all of the text may
	 * still belong to a secret.
	 */
	push(text: string): string;
	/** Ends the text, and returns the delayed text without secrets. */
	end(): string;
}

/** Finder of positions at which a secret may begin. Recognises the first characters of a secret. */
export interface Gate {
	/** Returns the first position at which a secret may begin. Returns undefined if the text has no such position. */
	find(text: string): number | undefined;
	/** Maximum number of characters that `find` needs, from a position on, to recognise the position. */
	readonly length: number;
	/**
	 * Starts of registered values. Each start is too short for `find`. Does not contain the starts of values that begin
	 * like a shape.
	 */
	readonly beginnings: ReadonlySet<string>;
	/**
	 * Returns the end of the registered value that begins at position `at`. Returns Infinity if the text ends within the
	 * value, and undefined if no registered value begins at `at`.
	 */
	endOfValue(text: string, at: number): number | undefined;
}

export interface Redaction {
	redact(text: string): string;
	/** Redacts text that may end inside a secret. */
	redactCut(text: string): string;
}

/**
 * Maximum delayed characters of a word. If a credential is longer, further characters of the credential are dropped
 * when they arrive.
 */
const longestWord = 4096;
/** Maximum delayed characters of a key block. */
const longestKey = 65_536;
/**
 * Maximum length of a start with which `Gate.find` does not find a registered value yet. With one more character,
 * `Gate.find` finds the value.
 */
export const longestBeginning = 3;
/**
 * Maximum characters that `Gate.find` needs to find a registered value with a line break (`\r
 * `) after each character except the last.
 */
export const longestWrappedStart = longestBeginning + 1 + 2 * longestBeginning;
/** First characters of a key block. Must be one of `openings`. */
const keyOpening = "-----B";
/** Number of characters after which the title of a key block is complete. */
const keyTitle = 80;

/** Pattern of characters that may continue a credential after the delayed part of the credential. */
const restOfCredential = /^[\w.\r\n-]*/;
const restOfKey = /^[\w+/=\s\\:,-]*/;

/**
 * Creates a stream that delays a possible secret to the end of its word or key block, and then redacts the complete
 * word or block. The opening of a shape, such as `sk-`, may be returned before the stream recognises a credential. No
 * part of a registered value is returned, however the text is split, except an opening at the start of the value.
 * Delays at most `longestWord` characters of a word, `longestKey` characters of a key block, or one registered value. A
 * longer credential or key block becomes one `[redacted]`, up to the first character that cannot continue the
 * credential or block.
 */
export function redactedStream(gate: Gate, { redact, redactCut }: Redaction): RedactedStream {
	/** The last characters that were returned. The gate may need them. */
	let before = "";
	let pending = "";
	/** Pattern of the characters to drop. Set after a credential that is too long to be delayed. */
	let dropped: RegExp | undefined;

	const leave = (length: number): string => {
		const text = pending.slice(0, length);
		pending = pending.slice(length);
		before = (before + text).slice(-(gate.length - 1));
		return text;
	};
	/**
	 * Redacts the next `length` pending characters together with `before`. Clears `before`, so that the gate does not
	 * find the same position again.
	 */
	const release = (length: number, transform = redact): string => {
		const clean = transform(before + pending.slice(0, length));
		const text = clean.slice(commonLength(before, clean));
		pending = pending.slice(length);
		before = "";
		return text;
	};
	/**
	 * Drops pending characters of a credential that was too long to be delayed. Returns whether pending text is left.
	 */
	const drop = (): boolean => {
		if (dropped) pending = pending.replace(dropped, "");
		if (pending === "") return false;
		dropped = undefined;
		return true;
	};

	return {
		push(text) {
			pending += text;
			let out = "";
			while (drop()) {
				const seen = before + pending;
				const found = gate.find(seen);
				if (found === undefined) return out + leave(pending.length - beginningAtEnd(pending, gate));
				const returned = Math.max(0, before.length - found);
				out += leave(Math.max(0, found - before.length));
				const part = nextPart(seen.slice(found), returned, gate);
				if (part === undefined) return out;
				if (part.end > 0) out += release(part.end);
				if (part.rest === undefined) continue;
				out += REPLACEMENT;
				dropped = part.rest;
			}
			return out;
		},
		end: () => release(pending.length, redactCut),
	};
}

/**
 * Returns the length of the longest text in `beginnings` with which `text` ends, including line breaks in between.
 * Returns 0 if `text` ends with none.
 */
function beginningAtEnd(text: string, { beginnings }: Gate): number {
	const end = text.slice(-longestWrappedStart);
	const hasBreak = /[\r\n]/.test(end);
	for (let length = Math.min(hasBreak ? end.length : longestBeginning, end.length); length > 0; length--) {
		const tail = end.slice(-length);
		if (beginnings.has(tail)) return length;
		if (hasBreak && /^[^\r\n]/.test(tail) && beginnings.has(unwrap(tail))) return length;
	}
	return 0;
}

function commonLength(a: string, b: string): number {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length++;
	return length;
}

/** Part of the delayed text that can be redacted now. The part begins at the start of the delayed text. */
interface Part {
	readonly end: number;
	/**
	 * Pattern of the characters that may continue a credential. Present if a credential at `end` is too long to be
	 * delayed.
	 */
	readonly rest?: RegExp;
}

/**
 * Returns the next part, or undefined if more text is needed. Never cuts a registered value. `text` begins at the
 * position that the gate found. The first `returned` characters of `text` have already been returned.
 */
function nextPart(text: string, returned: number, gate: Gate): Part | undefined {
	const part = partOfShapes(text, returned);
	if (part === undefined) return undefined;
	const end = withoutCut(text, { end: returned + part.end, returned, gate });
	if (end === undefined) return undefined;
	return end === returned + part.end ? part : { end: end - returned };
}

/**
 * Returns the last index up to `end` that does not cut a registered value. If a value begins before the delayed text,
 * returns the end of that value. Returns undefined if the text ends within that value.
 */
function withoutCut(
	text: string,
	{ end, returned, gate }: { readonly end: number; readonly returned: number; readonly gate: Gate },
): number | undefined {
	for (let at = 0; at < end; ) {
		const valueEnd = gate.endOfValue(text, at);
		if (valueEnd === undefined) at++;
		else if (valueEnd <= end) at = valueEnd;
		else if (at > returned) return at;
		else return Number.isFinite(valueEnd) ? valueEnd : undefined;
	}
	return end;
}

function partOfShapes(text: string, returned: number): Part | undefined {
	const key = text.indexOf(keyOpening);
	if (key >= 0 && key <= returned) return partOfKey(text.slice(key), returned - key);
	const part = partOfWord(text, returned);
	// The title of a key block contains spaces, so the block must not be cut at the end of a word.
	return key >= 0 && (part === undefined || key - returned < part.end) ? { end: key - returned } : part;
}

function partOfWord(text: string, returned: number): Part | undefined {
	const undecided = text.slice(returned);
	const space = undecided.search(/\s/);
	if (space >= 0) return { end: space };
	if (undecided.length < longestWord) return undefined;
	// Only the shape of a key block contains other characters.
	const token = undecided.search(/[\w.-]*$/);
	if (token > 0) return { end: token };
	const cut = cutShape.exec(text);
	return cut
		? { end: Math.max(0, cut.index - returned), rest: restOfCredential }
		: { end: undecided.length - longestShape };
}

/**
 * Returns the part for a block that may be a private key. The part ends at the end of the block. If the title of the
 * block excludes a private key, the part ends after the opening. If a private key is too long to be delayed, the part
 * has a `rest`. Returns undefined if more text is needed.
 */
function partOfKey(block: string, returned: number): Part | undefined {
	const end = /-----END [A-Z0-9 ]{0,60}-----/.exec(block);
	if (end) return { end: end.index + end[0].length - returned };
	if (/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(block)) {
		return block.length < longestKey ? undefined : { end: 0, rest: restOfKey };
	}
	return block.length < keyTitle ? undefined : { end: keyOpening.length - returned };
}

import { cutShape, longestShape, REPLACEMENT, unwrap } from "./redactor-patterns.ts";

/** Receives text in pieces and returns it without secrets. Delays a part while it may belong to a secret. */
export interface RedactedStream {
	/** Returns the text that is safe to show. Returns "" while all of it may still belong to a secret. */
	push(text: string): string;
	/** Ends the text, and returns its remaining part without secrets. */
	end(): string;
}

/** Finds positions at which a secret may begin, by its first characters. */
export interface Gate {
	/** Returns the first position at which a secret may begin; undefined if the text has no such position. */
	find(text: string): number | undefined;
	/** Maximum number of characters that `find` needs to recognise a position. */
	readonly length: number;
	/** Starts of registered values, each too short for `find`. Excludes values that begin like a shape. */
	readonly beginnings: ReadonlySet<string>;
	/**
	 * Returns the end of the registered value that begins at this position. Returns Infinity if the text ends within the
	 * value, and undefined if no value begins there.
	 */
	endOfValue(text: string, at: number): number | undefined;
}

export interface Redaction {
	redact(text: string): string;
	/** Redacts text that may end inside a secret. */
	redactCut(text: string): string;
}

/** Maximum delayed characters of a word. The rest of a longer credential is dropped as it arrives. */
const longestWord = 4096;
/** Maximum delayed characters of a key block. */
const longestKey = 65_536;
/** Maximum characters of a registered value that are too few for the gate to find it. */
export const longestBeginning = 3;
/** Maximum characters of the start of a registered value, with a line break after each character except the last. */
export const longestWrappedStart = longestBeginning + 1 + 2 * longestBeginning;
/** First characters of a key block. Must be one of `openings`. */
const keyOpening = "-----B";
/** Number of characters after which the title of a key block is complete. */
const keyTitle = 80;

/** The characters that continue a credential after its delayed part. */
const restOfCredential = /^[\w.\r\n-]*/;
const restOfKey = /^[\w+/=\s\\:,-]*/;

/**
 * Delays text from a possible secret to the end of that word or key block, and redacts it as a whole. The
 * opening of a shape, such as `sk-`, may be returned before the rest is recognised. No part of any other
 * registered value is returned, regardless of the pieces. Delays at most `longestWord` characters of a word,
 * `longestKey` characters of a key block, or one registered value. A longer credential or key block becomes
 * one `[redacted]`, up to the first character that cannot continue it.
 */
export function redactedStream(gate: Gate, { redact, redactCut }: Redaction): RedactedStream {
	/** The last returned characters that the gate may need. */
	let before = "";
	let pending = "";
	/** Pattern of the characters to drop, after a credential that is too long to be delayed. */
	let dropped: RegExp | undefined;

	const leave = (length: number): string => {
		const text = pending.slice(0, length);
		pending = pending.slice(length);
		before = (before + text).slice(-(gate.length - 1));
		return text;
	};
	/** Redacts the text together with the characters before it, so that the same position is not found again. */
	const release = (length: number, transform = redact): string => {
		const clean = transform(before + pending.slice(0, length));
		const text = clean.slice(commonLength(before, clean));
		pending = pending.slice(length);
		before = "";
		return text;
	};
	/** Drops the rest of a credential. Returns whether pending text is left. */
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
 * Returns the length of the longest beginning of a value at the end of the text, or 0. Line breaks may interrupt
 * it.
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

/** End of the delayed text that can be redacted now. */
interface Part {
	readonly end: number;
	/** Pattern of the characters that continue the credential at `end`, if the credential is too long to be delayed. */
	readonly rest?: RegExp;
}

/**
 * Returns the next part, or undefined if it needs more text. Never cuts a registered value. `text` begins at the
 * position that the gate found. Its first `returned` characters have been returned.
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
 * Returns the end of a block that may be a private key, or the end of its opening if its title excludes a private
 * key. For a private key that is too long to be delayed, returns the pattern of its rest. Returns undefined if more
 * text is needed.
 */
function partOfKey(block: string, returned: number): Part | undefined {
	const end = /-----END [A-Z0-9 ]{0,60}-----/.exec(block);
	if (end) return { end: end.index + end[0].length - returned };
	if (/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(block)) {
		return block.length < longestKey ? undefined : { end: 0, rest: restOfKey };
	}
	return block.length < keyTitle ? undefined : { end: keyOpening.length - returned };
}

/** Takes text in pieces and returns it without secrets, each part as soon as it cannot belong to one. */
export interface RedactedStream {
	/** Returns the text that may be shown by now: "" while all of it may still belong to a secret. */
	push(text: string): string;
	/** Returns the rest, at the end of the text. */
	end(): string;
}

/** Finds places where a secret may begin, by its first characters. */
export interface Gate {
	/** Finds the first place. Not global, not sticky. */
	readonly pattern: RegExp;
	/** Maximum of characters that the pattern reads. */
	readonly length: number;
	/** Characters of the longest registered value with white space in it; 0 if none has. */
	readonly spaced: number;
	/** Beginnings of registered values that are too short for the pattern. None of a value that begins like a shape. */
	readonly beginnings: ReadonlySet<string>;
	/** Returns the end of the registered value that begins at this place; Infinity if the text ends within it. */
	endOfValue(text: string, at: number): number | undefined;
}

export interface Redaction {
	redact(text: string): string;
	/** The same at the end of the text, where a secret may be cut off. */
	redactCut(text: string): string;
}

/** Maximum of characters that are held back for a word: no credential is longer. */
const longestWord = 4096;
const longestKey = 65_536;
/** The gate finds a registered value by one more character. */
export const longestBeginning = 3;
/** The opening of a key block, as the gate finds it. */
const keyOpening = "-----B";
/** Characters after which the title of a key block is complete. */
const keyTitle = 80;

/**
 * Holds text back from where a secret may begin to the end of that word or key block, and redacts it as a whole. Also holds
 * back the first characters of a registered value, although they are too few for the gate: no part of such a value
 * leaves, however it is cut. Of a shape, such as `sk-…`, the opening may have left. Holds back at most
 * `longestWord` characters of a word, or `longestKey` of a key block, and one registered value.
 */
export function redactedStream(gate: Gate, { redact, redactCut }: Redaction): RedactedStream {
	/** The last characters that have left, as many as the gate may need. */
	let before = "";
	let held = "";

	const leave = (length: number): string => {
		const text = held.slice(0, length);
		held = held.slice(length);
		before = (before + text).slice(-(gate.length - 1));
		return text;
	};
	/** Redacts together with the characters before. Afterwards the same place is not found again. */
	const release = (length: number, take = redact): string => {
		const clean = take(before + held.slice(0, length));
		const text = clean.slice(commonLength(before, clean));
		held = held.slice(length);
		before = "";
		return text;
	};

	return {
		push(text) {
			held += text;
			let out = "";
			for (;;) {
				const seen = before + held;
				const found = gate.pattern.exec(seen);
				if (!found) return out + leave(held.length - beginningAtEnd(held, gate));
				const gone = Math.max(0, before.length - found.index);
				out += leave(Math.max(0, found.index - before.length));
				const end = endOfSecret(seen.slice(found.index), gone, gate);
				if (end === undefined) return out;
				out += release(withoutCut(held, Math.min(end, held.length), gate));
			}
		},
		end: () => release(held.length, redactCut),
	};
}

/** Length of the longest beginning of a registered value, too short for the gate, that the text ends with. */
function beginningAtEnd(text: string, { beginnings }: Gate): number {
	for (let length = Math.min(longestBeginning, text.length); length > 0; length--) {
		if (beginnings.has(text.slice(-length))) return length;
	}
	return 0;
}

/**
 * The last place up to `end` that cuts no registered value, or the end of a value that the text begins with. Never 0, so
 * that each release makes progress.
 */
function withoutCut(held: string, end: number, gate: Gate): number {
	for (let at = 0; at < end; ) {
		const valueEnd = gate.endOfValue(held, at);
		if (valueEnd === undefined) at++;
		else if (valueEnd <= end) at = valueEnd;
		else return at > 0 ? at : Math.min(valueEnd, held.length);
	}
	return end;
}

/** Length of the common beginning. */
function commonLength(a: string, b: string): number {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length++;
	return length;
}

/**
 * Characters of the held text up to the end of what may be a secret; undefined if more text is needed. `text` begins where
 * the gate found a secret, and its first `gone` characters have left.
 */
function endOfSecret(text: string, gone: number, { spaced }: Gate): number | undefined {
	const key = text.indexOf(keyOpening);
	if (key >= 0 && key <= gone) {
		const end = endOfKey(text.slice(key));
		return end === undefined ? undefined : key + end - gone;
	}
	const end = endOfWord(text.slice(gone), spaced);
	// The title of a key block has spaces, so the block must not be cut at the end of the word.
	return key < 0 ? end : Math.min(key - gone, end ?? Number.POSITIVE_INFINITY);
}

/** Characters up to the end of the word; undefined if more text is needed. */
function endOfWord(held: string, spaced: number): number | undefined {
	const space = held.slice(spaced).search(/\s/);
	if (space >= 0) return spaced + space;
	return held.length < longestWord + spaced ? undefined : startOfLastToken(held);
}

/** Start of the characters at the end that may be one credential; the length if that is all of the text. */
function startOfLastToken(text: string): number {
	let start = text.length;
	while (start > 0 && /[\w.-]/.test(text.charAt(start - 1))) start--;
	return start > 0 ? start : text.length;
}

/** Characters up to the end of a block that may be a private key, or of the opening if its title says that it is none. */
function endOfKey(block: string): number | undefined {
	const end = /-----END [A-Z0-9 ]{0,60}-----/.exec(block);
	if (end) return end.index + end[0].length;
	if (/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(block)) {
		return block.length < longestKey ? undefined : block.length;
	}
	return block.length < keyTitle ? undefined : keyOpening.length;
}

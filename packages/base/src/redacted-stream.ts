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
	/** Beginnings of registered values that are too short for the pattern. */
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
				out += leave(Math.max(0, found.index - before.length));
				const end = isKey(found[0]) ? endOfKey(before + held) : endOfWord(held, gate.spaced);
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

function isKey(opening: string): boolean {
	return opening.startsWith("-----");
}

/** Characters up to the end of the word; undefined if more text is needed. */
function endOfWord(held: string, spaced: number): number | undefined {
	const space = held.slice(spaced).search(/\s/);
	if (space >= 0) return spaced + space;
	return held.length < longestWord + spaced ? undefined : held.length;
}

/** Characters up to the end of a block that may be a private key. `seen` may begin a few characters before it. */
function endOfKey(seen: string): number | undefined {
	const end = /-----END [A-Z0-9 ]{0,60}-----/.exec(seen);
	if (end) return end.index + end[0].length;
	const titled = /BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(seen);
	const limit = titled ? longestKey : keyTitle;
	return seen.length < limit ? undefined : seen.length;
}

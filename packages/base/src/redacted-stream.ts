/** Takes text in pieces and gives it back without secrets, each as soon as it cannot be part of one. */
export interface RedactedStream {
	/** What may be shown by now; "" while all of it may still turn out to be a secret. */
	push(text: string): string;
	/** The rest, at the end of the text. */
	end(): string;
}

/** Where a secret may begin, as far as its first characters tell. */
export interface Gate {
	/** Finds the first place; not global, not sticky. */
	readonly pattern: RegExp;
	/** Characters that the pattern needs at most. */
	readonly length: number;
	/** Characters of the longest secret that has white space in it; 0 where none has. */
	readonly spaced: number;
}

export interface Redaction {
	redact(text: string): string;
	/** The same at the end of the text, where a secret may be cut off. */
	redactCut(text: string): string;
}

/** Nothing is held back longer than this: no credential is that long. */
const longestWord = 4096;
const longestKey = 65_536;
/** By so many characters a key block has said that it is one. */
const keyTitle = 80;

/**
 * Text is held back from where a secret may begin to the end of that word, or of the key block; then it is redacted as
 * a whole. What a gate has to see may have left already: the first few characters of a secret are none.
 */
export function redactedStream(gate: Gate, { redact, redactCut }: Redaction): RedactedStream {
	/** The last characters that have left, as far as a gate may need them. */
	let before = "";
	let held = "";

	/** Where nothing can be a secret, which is nearly always: `seen` is what has left, and all that is held. */
	const leaveAll = (seen: string): string => {
		const text = held;
		held = "";
		before = seen.slice(-(gate.length - 1));
		return text;
	};
	const leave = (length: number): string => {
		const text = held.slice(0, length);
		held = held.slice(length);
		before = (before + text).slice(-(gate.length - 1));
		return text;
	};
	/** Redacts in view of what has left; afterwards the same place is not found again. */
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
				if (!found) return out + leaveAll(seen);
				out += leave(Math.max(0, found.index - before.length));
				const end = isKey(found[0]) ? endOfKey(before + held) : endOfWord(held, gate.spaced);
				if (end === undefined) return out;
				out += release(Math.min(end, held.length));
			}
		},
		end: () => release(held.length, redactCut),
	};
}

/** How many characters both begin with. */
function commonLength(a: string, b: string): number {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length++;
	return length;
}

function isKey(opening: string): boolean {
	return opening.startsWith("-----");
}

/** Characters after which a word is over; undefined where more of it has to come first. */
function endOfWord(held: string, spaced: number): number | undefined {
	const space = held.slice(spaced).search(/\s/);
	if (space >= 0) return spaced + space;
	return held.length < longestWord + spaced ? undefined : held.length;
}

/** Likewise for a block that may be a private key; `seen` may begin a few characters before it. */
function endOfKey(seen: string): number | undefined {
	const end = /-----END [A-Z0-9 ]{0,60}-----/.exec(seen);
	if (end) return end.index + end[0].length;
	const titled = /BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(seen);
	const limit = titled ? longestKey : keyTitle;
	return seen.length < limit ? undefined : seen.length;
}

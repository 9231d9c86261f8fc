/** Where the parenthesis that `text` begins with is closed, quotes respected; the end of the text where it is not. */
export function closingParenthesis(text: string): number {
	const tokens = /\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?|[()]/gs;
	let depth = 0;
	for (const { 0: token, index } of text.matchAll(tokens)) {
		if (token === "(") depth += 1;
		if (token === ")") depth -= 1;
		if (depth === 0) return index;
	}
	return text.length;
}

/** What stands in the braces that `text` begins with, and where it goes on after them. */
export function readBraces(text: string): { readonly inner: string; readonly end: number } {
	let depth = 0;
	for (const { 0: token, index } of text.matchAll(/\\.|[{}]/gs)) {
		if (token === "{") depth += 1;
		if (token === "}") depth -= 1;
		if (depth === 0) return { inner: text.slice(1, index), end: index + 1 };
	}
	return { inner: text.slice(1), end: text.length };
}

/** The name of a variable or special parameter at the beginning; "" where there is none. */
export function readName(text: string): string {
	return /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text)?.[0] ?? "";
}

const letters: Readonly<Record<string, string>> = {
	a: "\u{7}",
	b: "\b",
	e: "\u{1b}",
	E: "\u{1b}",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
};

/**
 * Reads `'…'` as it stands behind a dollar sign, with its escapes:
 * https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html
 */
export function decodeAnsi(text: string): { readonly text: string; readonly end: number } {
	const body = /^'((?:[^'\\]|\\.)*)/s.exec(text)?.[1] ?? "";
	const decoded = body.replaceAll(
		/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
		(_, ...groups: (string | undefined)[]) => {
			const [hex, short, long, octal, letter = ""] = groups;
			const digits = hex ?? short ?? long;
			if (digits !== undefined) return characterOf(Number.parseInt(digits, 16));
			if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
			return letters[letter] ?? letter;
		},
	);
	// The shell ends the text at a NUL.
	return { text: decoded.replace(/\0.*$/s, ""), end: body.length + 2 };
}

function characterOf(code: number): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

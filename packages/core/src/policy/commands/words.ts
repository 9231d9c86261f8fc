/** Placeholder in a word. Replaces text that is known only at run time. */
export const UNKNOWN = "\0";

/** Maximum texts that `splitCommands` reads: the command line and its substitutions. */
const MAX_TEXTS = 100;

/** One program with its arguments. Quotes are removed. */
export interface SimpleCommand {
	readonly words: readonly string[];
	/** Words after `>` and similar operators. */
	readonly outputs: readonly string[];
	/** Words after `<` and similar operators, including here-strings. */
	readonly inputs: readonly string[];
}

/**
 * Splits shell text into simple commands, including the commands in subshells and substitutions. Replaces variables by
 * their values if `variables` or an earlier assignment in the text gives the value. Replaces other variables, and
 * substitutions, by `UNKNOWN`. Accepts any text and never fails. A shell may read the text differently, so callers must
 * use the result only to require more approvals.
 */
export function splitCommands(text: string, variables: Readonly<Record<string, string>>): SimpleCommand[] {
	const known = new Map(Object.entries(variables));
	const commands: SimpleCommand[] = [];
	const waiting = [text];
	for (let read = 0; read < MAX_TEXTS; read += 1) {
		const next = waiting.pop();
		if (next === undefined) break;
		const reader = new Reader(next, known);
		commands.push(...reader.read());
		waiting.push(...reader.inner.reverse());
	}
	return commands;
}

/**
 * Returns the simple commands of a text, with quotes removed, if every shell reads the text in the same way. The text
 * runs only the returned commands. Returns undefined if the shell would expand or substitute anything, open a file
 * other than /dev/null, or start a background command or a subshell. Also returns undefined in all cases of doubt.
 */
export function splitPlainly(text: string): (readonly string[])[] | undefined {
	// Control characters and special blanks are invisible, and some shells treat them as separators.
	if (/[^\P{Z} ]|[^\P{C}\t]/u.test(text)) return undefined;
	const reader = new Reader(text, new Map());
	const commands = reader.read();
	if (!reader.plain || commands.some(({ words }) => words.length === 0)) return undefined;
	return commands.map(({ words }) => words);
}

/** Pattern of a character that, unquoted, makes a text not plain. */
const special = /[*?[\]{}()\n\r]/;

const reserved = new Set(
	"if then else elif fi do done while until for select case in esac function time coproc ! { } [[".split(" "),
);
const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s;

class Reader {
	readonly inner: string[] = [];
	/** Whether the text that was read so far contains nothing that a shell could expand or read in another way. */
	plain = true;
	readonly #text: string;
	readonly #variables: Map<string, string>;
	readonly #commands: SimpleCommand[] = [];
	#at = 0;
	#word: string | undefined;
	#words: string[] = [];
	#outputs: string[] = [];
	#inputs: string[] = [];
	#redirect: string[] | undefined;
	#endsWithOperator = false;

	constructor(text: string, variables: Map<string, string>) {
		this.#text = text;
		this.#variables = variables;
	}

	read(): SimpleCommand[] {
		while (this.#at < this.#text.length) this.#step();
		this.#endCommand();
		if (this.#endsWithOperator) this.plain = false;
		return this.#commands;
	}

	#step(): void {
		const character = this.#next();
		if (character === "'") this.#append(this.#readUntil("'"));
		else if (character === '"') this.#readQuoted();
		else if (character === "\\") this.#readEscape();
		else if (character === "$") this.#readDollar(false);
		else if (character === "`") this.#readBackquotes();
		else if (character === "<" || character === ">") this.#readRedirection(character);
		else this.#readPlain(character);
	}

	#readPlain(character: string): void {
		if (special.test(character) || (character === "~" && /^$|[=:]$/.test(this.#word ?? "")))
			this.plain = false;
		if (character === " " || character === "\t") this.#endWord();
		else if (character === "&" && this.#text[this.#at] === ">") {
			this.plain = false;
			this.#endWord();
		} else if (";&|()\n\r".includes(character)) this.#readOperator(character);
		else if (character === "#" && this.#word === undefined) {
			this.plain = false;
			this.#readUntil("\n", true);
		} else this.#append(character);
	}

	#readOperator(character: string): void {
		const doubled = "&|".includes(character) && this.#text[this.#at] === character;
		if (doubled) this.#skip(1);
		this.#endCommand();
		// A text is not plain if it begins with an operator, if two operators follow each other, or if `&` starts a
		// background command.
		if (this.#endsWithOperator || this.#commands.length === 0 || (character === "&" && !doubled))
			this.plain = false;
		this.#endsWithOperator = true;
	}

	#readEscape(): void {
		const next = this.#next();
		if (next === "\n" || next === "") this.plain = false;
		if (next !== "\n") this.#append(next);
	}

	#readQuoted(): void {
		this.#append("");
		let next = this.#next();
		for (; next !== '"' && next !== ""; next = this.#next()) {
			if (next === "$") this.#readDollar(true);
			else if (next === "`") this.#readBackquotes();
			else if (next === "\\" && '$`"\\\n'.includes(this.#text[this.#at] ?? " ")) this.#readEscape();
			else this.#append(next);
		}
		if (next === "") this.plain = false;
	}

	#readDollar(quoted: boolean): void {
		this.plain = false;
		const rest = this.#text.slice(this.#at);
		if (rest.startsWith("(")) {
			const end = closingParenthesis(rest);
			this.inner.push(rest.slice(1, end));
			this.#skip(end + 1);
			this.#append(UNKNOWN);
		} else if (rest.startsWith("{")) {
			const { inner, end } = readBraces(rest);
			this.#skip(end);
			this.#expand(inner, quoted);
		} else if (rest.startsWith("'") && !quoted) {
			const { text, end } = decodeAnsi(rest);
			this.#skip(end);
			this.#append(text);
		} else if (!(rest.startsWith('"') && !quoted)) {
			const name = readName(rest);
			this.#skip(name.length);
			if (name === "") this.#append("$");
			else this.#expand(name, quoted);
		}
	}

	#expand(parameter: string, quoted: boolean): void {
		const value = this.#variables.get(parameter);
		if (/^IFS\b/.test(parameter) && !quoted) {
			this.#endWord();
		} else if (value === undefined) {
			// `${x:-$(command)}` also runs a command.
			if (/[$`]/.test(parameter)) this.inner.push(parameter);
			this.#append(UNKNOWN);
		} else {
			this.#appendValue(quoted ? [value] : value.split(/\s+/));
		}
	}

	#appendValue(pieces: readonly string[]): void {
		for (const [index, piece] of pieces.entries()) {
			if (index > 0) this.#endWord();
			this.#append(piece);
		}
	}

	#readBackquotes(): void {
		this.plain = false;
		const rest = this.#text.slice(this.#at);
		const inner = /^(?:[^`\\]|\\.)*/s.exec(rest)?.[0] ?? "";
		this.#skip(inner.length + 1);
		this.inner.push(inner.replaceAll(/\\([`$\\])/g, "$1"));
		this.#append(UNKNOWN);
	}

	#readRedirection(first: string): void {
		const rest = this.#text.slice(this.#at);
		const operator = first + (/^[<>&|]*/.exec(rest)?.[0] ?? "");
		if (!this.#isHarmless(operator, rest.slice(operator.length - 1))) this.plain = false;
		if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
		this.#endWord();
		this.#skip(operator.length - 1);
		this.#redirect = operator.includes(">") ? this.#outputs : this.#inputs;
	}

	/**
	 * Whether a redirection only writes to /dev/null, or only redirects standard output or standard error to the other
	 * (`2>&1`).
	 */
	#isHarmless(operator: string, rest: string): boolean {
		if (this.#redirect) return false;
		// A number before a redirection is a descriptor only if it is not quoted.
		const before = this.#text.slice(0, this.#at - 1);
		if (/^\d+$/.test(this.#word ?? "") && !/(?:^|[ \t;&|])[12]$/.test(before)) return false;
		if (operator === ">&") return /^[12](?=$|[ \t;&|])/.test(rest);
		return (operator === ">" || operator === ">>") && /^[ \t]*\/dev\/null(?=$|[ \t;&|])/.test(rest);
	}

	#append(text: string): void {
		this.#word = (this.#word ?? "") + text;
	}

	#endWord(): void {
		const word = this.#word;
		if (word === undefined) return;
		this.#word = undefined;
		if (this.#redirect) this.#redirect.push(word);
		else if (this.#words.length > 0) this.#words.push(word);
		else this.#beginCommand(word);
		this.#redirect = undefined;
	}

	#beginCommand(word: string): void {
		const [, name, value] = assignment.exec(word) ?? [];
		if (reserved.has(word) || name !== undefined) this.plain = false;
		if (reserved.has(word)) return;
		if (name === undefined || value === undefined) this.#words.push(word);
		else if (!value.includes(UNKNOWN)) this.#variables.set(name, value);
	}

	#endCommand(): void {
		this.#endWord();
		this.#redirect = undefined;
		if (this.#words.length + this.#outputs.length + this.#inputs.length > 0) {
			this.#endsWithOperator = false;
			this.#commands.push({ words: this.#words, outputs: this.#outputs, inputs: this.#inputs });
		}
		[this.#words, this.#outputs, this.#inputs] = [[], [], []];
	}

	#next(): string {
		const character = this.#text[this.#at] ?? "";
		this.#at += 1;
		return character;
	}

	#skip(count: number): void {
		this.#at += count;
	}

	/**
	 * Returns the text before `mark`. Skips `mark` unless `leave` is true. If the remaining text has no `mark`, returns
	 * the remaining text and sets `plain` to false.
	 */
	#readUntil(mark: string, leave = false): string {
		const found = this.#text.indexOf(mark, this.#at);
		if (found === -1) this.plain = false;
		const end = found === -1 ? this.#text.length : found;
		const read = this.#text.slice(this.#at, end);
		this.#at = leave ? end : end + 1;
		return read;
	}
}

/**
 * Splits the text at every character that could separate commands, even within quotes. Finds commands that
 * `splitCommands` treats as quoted text although a shell runs the commands.
 */
export function splitBlindly(text: string): string[][] {
	return text
		.replaceAll("\\\n", "")
		.replaceAll(/\$\{?IFS\b[^}\s]*\}?/g, " ")
		.replaceAll(/\$\{[^}]*\}|\$\w+/g, UNKNOWN)
		.replaceAll(/\{([^{}\s]*)\}/g, (match, inner: string) =>
			inner.includes(",") ? inner.replaceAll(",", " ") : match,
		)
		.replaceAll(/['"\\]/g, "")
		.split(/[;&|\n\r()`{}]+/)
		.map((part) => part.split(/[\s<>]+/).filter((word) => word !== ""))
		.filter((words) => words.length > 0);
}

/**
 * Returns the index of the closing parenthesis. If the closing parenthesis is missing, returns the length of the text.
 * Ignores quoted parentheses.
 */
function closingParenthesis(text: string): number {
	const tokens = /\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?|[()]/gs;
	let depth = 0;
	for (const { 0: token, index } of text.matchAll(tokens)) {
		if (token === "(") depth += 1;
		if (token === ")") depth -= 1;
		if (depth === 0) return index;
	}
	return text.length;
}

/**
 * Returns the text between the first brace and its closing brace. If the closing brace is missing, returns all text
 * after the first brace.
 */
function readBraces(text: string): { readonly inner: string; readonly end: number } {
	let depth = 0;
	for (const { 0: token, index } of text.matchAll(/\\.|[{}]/gs)) {
		if (token === "{") depth += 1;
		if (token === "}") depth -= 1;
		if (depth === 0) return { inner: text.slice(1, index), end: index + 1 };
	}
	return { inner: text.slice(1), end: text.length };
}

/**
 * Returns the name of the variable at the start of the text, or a special parameter such as `?`. Returns "" if the text
 * starts with neither.
 */
function readName(text: string): string {
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

/** Decodes the escapes in `$'…'`: https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html */
function decodeAnsi(text: string): { readonly text: string; readonly end: number } {
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
	// In the shell, a NUL character ends the text in `$'…'`.
	return { text: decoded.replace(/\0.*$/s, ""), end: body.length + 2 };
}

function characterOf(code: number): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

import { closingParenthesis, decodeAnsi, readBraces, readName } from "./shell-text.ts";

/** Stands in a word for what is known only when the command runs. */
export const UNKNOWN = "\0";

/** So many substitutions are read, nested or not; `splitBlindly` sees the rest. */
const MAX_TEXTS = 100;

/** One program with its arguments, quotes taken off. */
export interface SimpleCommand {
	readonly words: readonly string[];
	/** What stands behind `>` and its kin. */
	readonly outputs: readonly string[];
	/** What stands behind `<` and its kin; here-strings too. */
	readonly inputs: readonly string[];
}

/**
 * Splits shell text into its simple commands, those of subshells and substitutions included, in the order of their
 * beginning. Quotes, escapes, comments and redirections are understood, `variables` and plain assignments are put in;
 * everything else that the shell would expand becomes `UNKNOWN`. It reads any text and never fails: a shell may read
 * it otherwise, so that its answer may only ever lead to more asking, never to less.
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

const reserved = new Set(
	"if then else elif fi do done while until for select case in esac function time coproc ! { } [[".split(" "),
);
const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s;

class Reader {
	/** Texts of substitutions, to be read next. */
	readonly inner: string[] = [];
	readonly #text: string;
	readonly #variables: Map<string, string>;
	readonly #commands: SimpleCommand[] = [];
	#at = 0;
	#word: string | undefined;
	#words: string[] = [];
	#outputs: string[] = [];
	#inputs: string[] = [];
	#redirect: string[] | undefined;

	constructor(text: string, variables: Map<string, string>) {
		this.#text = text;
		this.#variables = variables;
	}

	read(): SimpleCommand[] {
		while (this.#at < this.#text.length) this.#step();
		this.#endCommand();
		return this.#commands;
	}

	#step(): void {
		const character = this.#take();
		if (character === "'") this.#append(this.#takeUntil("'"));
		else if (character === '"') this.#readQuoted();
		else if (character === "\\") this.#readEscape();
		else if (character === "$") this.#readDollar(false);
		else if (character === "`") this.#readBackquotes();
		else if (character === "<" || character === ">") this.#readRedirection(character);
		else this.#readPlain(character);
	}

	#readPlain(character: string): void {
		if (character === " " || character === "\t") this.#endWord();
		else if (character === "&" && this.#text[this.#at] === ">") this.#endWord();
		else if (";&|()\n\r".includes(character)) this.#endCommand();
		else if (character === "#" && this.#word === undefined) this.#takeUntil("\n", true);
		else this.#append(character);
	}

	#readEscape(): void {
		const next = this.#take();
		if (next !== "\n") this.#append(next);
	}

	#readQuoted(): void {
		this.#append("");
		for (let next = this.#take(); next !== '"' && next !== ""; next = this.#take()) {
			if (next === "$") this.#readDollar(true);
			else if (next === "`") this.#readBackquotes();
			else if (next === "\\" && '$`"\\\n'.includes(this.#text[this.#at] ?? " ")) this.#readEscape();
			else this.#append(next);
		}
	}

	#readDollar(quoted: boolean): void {
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
			// `${x:-$(command)}` runs a command too.
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
		const rest = this.#text.slice(this.#at);
		const inner = /^(?:[^`\\]|\\.)*/s.exec(rest)?.[0] ?? "";
		this.#skip(inner.length + 1);
		this.inner.push(inner.replaceAll(/\\([`$\\])/g, "$1"));
		this.#append(UNKNOWN);
	}

	#readRedirection(first: string): void {
		if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
		this.#endWord();
		const operator = first + (/^[<>&|]*/.exec(this.#text.slice(this.#at))?.[0] ?? "");
		this.#skip(operator.length - 1);
		this.#redirect = operator.includes(">") ? this.#outputs : this.#inputs;
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
		if (reserved.has(word)) return;
		const [, name, value] = assignment.exec(word) ?? [];
		if (name === undefined || value === undefined) this.#words.push(word);
		else if (!value.includes(UNKNOWN)) this.#variables.set(name, value);
	}

	#endCommand(): void {
		this.#endWord();
		this.#redirect = undefined;
		if (this.#words.length + this.#outputs.length + this.#inputs.length > 0) {
			this.#commands.push({ words: this.#words, outputs: this.#outputs, inputs: this.#inputs });
		}
		[this.#words, this.#outputs, this.#inputs] = [[], [], []];
	}

	#take(): string {
		const character = this.#text[this.#at] ?? "";
		this.#at += 1;
		return character;
	}

	#skip(count: number): void {
		this.#at += count;
	}

	/** What stands before the end mark, which is taken too unless `leave`; all the rest where it is missing. */
	#takeUntil(mark: string, leave = false): string {
		const found = this.#text.indexOf(mark, this.#at);
		const end = found === -1 ? this.#text.length : found;
		const taken = this.#text.slice(this.#at, end);
		this.#at = leave ? end : end + 1;
		return taken;
	}
}

/**
 * The same text read as if no quote meant anything: split at every mark that could separate commands. It finds what
 * `splitCommands` may have taken for quoted because a shell counts the quotes in another way.
 */
export function splitBlindly(text: string): string[][] {
	return text
		.replaceAll("\\\n", "")
		.replaceAll(/\$\{?IFS\b[^}\s]*\}?/g, " ")
		.replaceAll(/\$\{[^}]*\}|\$\w+/g, UNKNOWN)
		.replaceAll(/\{([^{}\s]*)\}/g, (whole, inner: string) =>
			inner.includes(",") ? inner.replaceAll(",", " ") : whole,
		)
		.replaceAll(/['"\\]/g, "")
		.split(/[;&|\n\r()`{}]+/)
		.map((part) => part.split(/[\s<>]+/).filter((word) => word !== ""))
		.filter((words) => words.length > 0);
}

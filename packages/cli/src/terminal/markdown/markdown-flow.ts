import { definedItems } from "@parley/base";
import type { OutputFormat } from "../../text/styles.ts";
import { flowText, wrapText } from "../../text/wrap.ts";
import { codeRows, markdownRows } from "./markdown-rows.ts";

/** Converts a growing text to rows. Rows from `add` and `end` are final. */
export interface TextFlow {
	/** Adds text and returns completed rows. */
	add(text: string, format: OutputFormat): string[];
	/** Whether the text has an incomplete end. */
	readonly isOpen: boolean;
	/** Returns the rows of the incomplete end, which further text may change. */
	open(format: OutputFormat): string[];
	/** Completes the text and returns its last rows. Later text belongs to a new text. */
	end(format: OutputFormat): string[];
}

/** Converts text to rows without rendering. A row is complete when it is full or when its line ends. */
export class PlainFlow implements TextFlow {
	#last = "";

	get isOpen(): boolean {
		return this.#last !== "";
	}

	add(text: string, { columns }: OutputFormat): string[] {
		const { rows, last } = flowText(this.#last, text, columns);
		this.#last = last;
		return [...rows];
	}

	open({ columns }: OutputFormat): string[] {
		return this.#last.trim() === "" ? [] : wrapText(this.#last, columns);
	}

	end({ columns }: OutputFormat): string[] {
		const row = this.#last.trimEnd();
		this.#last = "";
		return row === "" ? [] : wrapText(row, columns);
	}
}

/** Maximum number of characters in an incomplete block, because `open` parses the complete block. */
const longestBlock = 16_384;
/** Pause before the incomplete block is parsed again, as a multiple of the duration of the last parse. */
const restFactor = 4;
/**
 * Maximum characters of code that are coloured together. For each new line, all these characters are parsed again.
 */
const longestCode = 8_192;

/** Start of a fenced code block: https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
const fence = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const listItem = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const heading = /^#{1,6}(?:[ \t]|$)/;

/** An incomplete code block. The rows of its complete lines are final. */
interface OpenCode {
	readonly mark: string;
	readonly indentation: number;
	readonly language: string | undefined;
	/**
	 * Printed lines that determine the colours of later lines. Emptied when they exceed `longestCode`
	 * characters.
	 */
	readonly lines: readonly string[];
}

/**
 * Renders Markdown. Returns the rows of a block when the block ends or is too long. Returns rows of code after each
 * line.
 */
export class MarkdownFlow implements TextFlow {
	/** Complete lines of the incomplete block. */
	#block = "";
	#line = "";
	#code: OpenCode | undefined;
	#isAfterBlank = false;
	/** Whether an empty row must separate the next block from the returned rows. */
	#needsGap = false;
	#hasPrinted = false;
	readonly #now: () => number;
	/** Rows of the incomplete end that `open` last returned, and the time until which the rows are reused. */
	#shown: { readonly columns: number; readonly rows: readonly string[]; readonly until: number } | undefined;

	/**
	 * Starts an empty text. `now` returns milliseconds. Without `now`, each call of `open` parses the incomplete block.
	 */
	constructor(now = () => 0) {
		this.#now = now;
	}

	get isOpen(): boolean {
		return this.#code !== undefined || (this.#block + this.#line).trim() !== "";
	}

	add(text: string, format: OutputFormat): string[] {
		const rows = this.#add(text, format);
		if (rows.length > 0) this.#shown = undefined;
		return rows;
	}

	#add(text: string, format: OutputFormat): string[] {
		const lines = (this.#line + text).split("\n");
		this.#line = lines.pop() ?? "";
		const rows = lines.flatMap((line) => this.#readLine(line, format));
		if (this.#block.length + this.#line.length <= longestBlock) return rows;
		if (this.#code) {
			rows.push(...this.#readCode(this.#code, this.#line, format));
			this.#line = "";
			return rows;
		}
		this.#block += this.#line;
		this.#line = "";
		return [...rows, ...this.#print(format)];
	}

	open(format: OutputFormat): string[] {
		const { columns } = format;
		const beganAt = this.#now();
		const shown = this.#shown;
		if (shown?.columns === columns && beganAt < shown.until) return [...shown.rows];
		const rows = this.#openRows(format);
		const tookMs = this.#now() - beganAt;
		this.#shown = { columns, rows, until: beganAt + tookMs * (1 + restFactor) };
		return rows;
	}

	#openRows(format: OutputFormat): string[] {
		if (this.#code) {
			const isEmpty = this.#line === "" || closes(this.#code, this.#line);
			return isEmpty ? [] : this.#newCodeRows(this.#code, [this.#line], format);
		}
		if (this.#isAfterBlank && this.#line !== "" && this.#beginsBlock(this.#line)) {
			const before = this.#block === "" ? [] : this.#separated(markdownRows(this.#block, format));
			const isFirst = before.length === 0 && !this.#hasPrinted;
			return definedItems([...before, isFirst ? undefined : "", ...markdownRows(this.#line, format)]);
		}
		const markdown = this.#block + this.#line;
		return markdown.trim() === "" ? [] : this.#separated(markdownRows(markdown, format));
	}

	end(format: OutputFormat): string[] {
		const rows = this.#openRows(format);
		this.#shown = undefined;
		this.#block = "";
		this.#line = "";
		this.#code = undefined;
		this.#isAfterBlank = false;
		this.#needsGap = false;
		this.#hasPrinted = false;
		return rows;
	}

	#readLine(line: string, format: OutputFormat): string[] {
		if (this.#code) return this.#readCode(this.#code, line, format);
		if (line.trim() === "") return this.#readBlank();
		const isNext = this.#beginsBlock(line);
		const before = isNext ? this.#print(format) : [];
		this.#needsGap ||= this.#isAfterBlank && isNext;
		this.#isAfterBlank = false;
		const opened = this.#isNested(line) ? null : fence.exec(line);
		if (opened) {
			const [, indent = "", mark = "", language = ""] = opened;
			const rows = this.#print(format);
			const indentation = indent.length;
			this.#code = { mark, indentation, lines: [], language: language === "" ? undefined : language };
			return [...before, ...rows, ...this.#printed([])];
		}
		this.#block += `${line}\n`;
		return heading.test(line) ? [...before, ...this.#print(format)] : before;
	}

	#readBlank(): string[] {
		this.#isAfterBlank = true;
		if (this.#block !== "") this.#block += "\n";
		return [];
	}

	#beginsBlock(line: string): boolean {
		if (this.#block === "" || heading.test(line)) return true;
		if (listItem.test(this.#block) && listItem.test(line)) return true;
		return this.#isAfterBlank && !/^[ \t]/.test(line);
	}

	/** Whether the line belongs to a list item. */
	#isNested(line: string): boolean {
		return listItem.test(this.#block) && /^[ \t]/.test(line);
	}

	#readCode(code: OpenCode, line: string, format: OutputFormat): string[] {
		if (closes(code, line)) {
			this.#code = undefined;
			return [];
		}
		const added = line.replace(new RegExp(`^ {0,${code.indentation}}`), "");
		const rows = this.#newCodeRows(code, [added], format);
		const lines = [...code.lines, added];
		const isLong = lines.reduce((sum, one) => sum + one.length, 0) > longestCode;
		this.#code = { ...code, lines: isLong ? [] : lines };
		return rows;
	}

	#newCodeRows({ language, lines }: OpenCode, added: readonly string[], format: OutputFormat): string[] {
		// The earlier lines determine the colours of the added lines.
		return codeRows([...lines, ...added].join("\n"), language, format, lines.length);
	}

	#print(format: OutputFormat): string[] {
		const markdown = this.#block;
		this.#block = "";
		return markdown.trim() === "" ? [] : this.#printed(markdownRows(markdown, format));
	}

	#printed(rows: readonly string[]): string[] {
		const separated = this.#separated(rows);
		this.#needsGap = false;
		this.#hasPrinted = true;
		return separated;
	}

	#separated(rows: readonly string[]): string[] {
		return this.#needsGap && this.#hasPrinted ? ["", ...rows] : [...rows];
	}
}

function closes({ mark }: OpenCode, line: string): boolean {
	const text = line.trim();
	return text.length >= mark.length && text === mark.charAt(0).repeat(text.length);
}

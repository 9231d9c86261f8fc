import { StringDecoder } from "node:string_decoder";

const NEW_LINE = 0x0a;

interface Wanted {
	/** Number of the first line, from 1. */
	readonly first: number;
	/** First character (UTF-16 unit) of that line, from 1. */
	readonly column: number;
	readonly lines: number;
	readonly characters: number;
}

export interface LineSlice {
	readonly text: string;
	/** Place of the next page; undefined at the end of the file. Without `column` it is the beginning of the line. */
	readonly next: { readonly line: number; readonly column?: number } | undefined;
	/** Lines of the file, if its end was reached before any wanted line. */
	readonly total: number | undefined;
}

/**
 * Returns the wanted lines of a text file within the wanted characters: whole lines, or a part of the first one if that
 * alone is longer. Bytes that are not UTF-8 become U+FFFD, and so does NUL. Reads no further than needed, and keeps no
 * more than it returns and one chunk.
 */
export async function sliceLines(chunks: AsyncIterable<Buffer>, wanted: Wanted): Promise<LineSlice> {
	const page = new Page(wanted);
	let [skipped, last] = [0, NEW_LINE];
	for await (const chunk of chunks) {
		last = chunk.at(-1) ?? last;
		const before = passNewLines(chunk, wanted.first - 1 - skipped);
		skipped += before.found;
		page.add(chunk.subarray(before.end));
		if (page.full) break;
	}
	return page.end() ?? { text: "", next: undefined, total: skipped + (last === NEW_LINE ? 0 : 1) };
}

/** Collects the text of one page, and a little more to know whether it is the last one. */
class Page {
	readonly #wanted: Wanted;
	readonly #decoder = new StringDecoder("utf8");
	#begun = false;
	/** Characters of the first line that are still to be skipped. */
	#skip: number;
	#text = "";
	/** Index behind the last wanted line, as soon as it is known. */
	#lineEnd: number | undefined;
	#lines = 0;

	constructor(wanted: Wanted) {
		this.#wanted = wanted;
		this.#skip = wanted.column - 1;
	}

	/** Whether more was added than the page can hold. */
	get full(): boolean {
		return this.#text.length > Math.min(this.#lineEnd ?? Number.POSITIVE_INFINITY, this.#wanted.characters);
	}

	add(bytes: Buffer): void {
		this.#begun ||= bytes.length > 0;
		this.#append(this.#decoder.write(bytes));
	}

	/** Returns the page, or undefined if nothing was added. */
	end(): LineSlice | undefined {
		if (!this.#begun) return undefined;
		this.#append(this.#decoder.end());
		const { first, column, characters } = this.#wanted;
		const text = this.#text.slice(0, this.#lineEnd);
		if (text.length <= characters) {
			const next = this.#text.length > text.length ? { line: first + this.#lines } : undefined;
			return { text, next, total: undefined };
		}
		const end = text.lastIndexOf("\n", characters - 1) + 1;
		if (end > 0) {
			const whole = text.slice(0, end);
			return { text: whole, next: { line: first + countNewLines(whole) }, total: undefined };
		}
		const cut = text.slice(0, isCutCharacter(text, characters) ? characters - 1 : characters);
		return { text: cut, next: { line: first, column: column + cut.length }, total: undefined };
	}

	#append(decoded: string): void {
		let text = decoded.replaceAll("\0", "\u{fffd}");
		if (this.#skip > 0) {
			const line = text.indexOf("\n");
			const skipped = Math.min(this.#skip, line === -1 ? text.length : line);
			this.#skip = line === -1 ? this.#skip - skipped : 0;
			text = text.slice(skipped);
		}
		const from = this.#text.length;
		this.#text += text;
		for (
			let at = text.indexOf("\n");
			at !== -1 && this.#lineEnd === undefined;
			at = text.indexOf("\n", at + 1)
		) {
			this.#lines += 1;
			if (this.#lines === this.#wanted.lines) this.#lineEnd = from + at + 1;
		}
	}
}

/** Index in the chunk behind `count` line ends, or the chunk's end if it has fewer. */
function passNewLines(chunk: Buffer, count: number): { readonly end: number; readonly found: number } {
	let [end, found] = [0, 0];
	while (found < count) {
		const at = chunk.indexOf(NEW_LINE, end);
		if (at === -1) return { end: chunk.length, found };
		end = at + 1;
		found += 1;
	}
	return { end, found };
}

function countNewLines(text: string): number {
	return text.split("\n").length - 1;
}

/** Whether a cut at this index would divide a character of two UTF-16 units. */
function isCutCharacter(text: string, index: number): boolean {
	const unit = text.charCodeAt(index - 1);
	return unit >= 0xd800 && unit <= 0xdbff;
}

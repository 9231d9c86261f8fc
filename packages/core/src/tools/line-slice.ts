import { StringDecoder } from "node:string_decoder";

const NEW_LINE = 0x0a;

interface Wanted {
	/** Number of the first line, from 1. */
	readonly first: number;
	readonly lines: number;
	readonly bytes: number;
}

export interface LineSlice {
	readonly text: string;
	/** The line to go on with; undefined at the end of the file. */
	readonly next: number | undefined;
	/** Whether the first line alone was longer than the bytes wanted, so that its rest is missing. */
	readonly cut: boolean;
	/** Lines of the file, where its end was seen before any wanted line. */
	readonly total: number | undefined;
}

/**
 * The wanted lines of a text file, whole lines only and within the wanted bytes. Reads no further than needed and
 * keeps no more than it returns and one chunk.
 */
export async function sliceLines(chunks: AsyncIterable<Buffer>, wanted: Wanted): Promise<LineSlice> {
	const kept: Buffer[] = [];
	let [skipped, taken, size, more, last] = [0, 0, 0, false, NEW_LINE];
	for await (const chunk of chunks) {
		last = chunk.at(-1) ?? last;
		const before = passNewLines(chunk, wanted.first - 1 - skipped);
		skipped += before.found;
		const body = chunk.subarray(before.end);
		const part = passNewLines(body, wanted.lines - taken);
		taken += part.found;
		size += part.end;
		kept.push(body.subarray(0, part.end));
		more = part.end < body.length || size > wanted.bytes;
		if (more) break;
	}
	if (size === 0) {
		const total = more ? undefined : skipped + (last === NEW_LINE ? 0 : 1);
		return { text: "", next: undefined, cut: false, total };
	}
	return shorten(Buffer.concat(kept), more ? wanted.first + taken : undefined, wanted);
}

/** Cuts back to whole lines within the wanted bytes. */
function shorten(bytes: Buffer, next: number | undefined, { first, bytes: limit }: Wanted): LineSlice {
	if (bytes.length <= limit) return { text: decode(bytes), next, cut: false, total: undefined };
	const end = bytes.lastIndexOf(NEW_LINE, limit - 1) + 1;
	if (end === 0) {
		return { text: decode(bytes.subarray(0, limit)), next: first + 1, cut: true, total: undefined };
	}
	const whole = bytes.subarray(0, end);
	return {
		text: decode(whole),
		next: first + passNewLines(whole, limit).found,
		cut: false,
		total: undefined,
	};
}

/** Where `count` lines of the chunk end, or the chunk's end when it holds fewer. */
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

/** A character that the cut split is left out; bytes that are no UTF-8 become U+FFFD, and so does NUL. */
function decode(bytes: Buffer): string {
	return new StringDecoder("utf8").write(bytes).replaceAll("\0", "\u{fffd}");
}

import { MIMEType, TextDecoder } from "node:util";

/** Where HTML must declare its charset: https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
const DECLARED_WITHIN = 1024;
/** A NUL among so many first characters tells a binary file, as it does for git. */
const SNIFFED = 8_000;

const textTypes = new Set(
	[
		...["json", "xml", "javascript", "ecmascript", "x-javascript", "x-ndjson", "jsonlines", "graphql"],
		...["yaml", "x-yaml", "toml", "sql", "x-sh", "x-www-form-urlencoded", "xhtml+xml"],
	].map((subtype) => `application/${subtype}`),
);

/** What a `content-type` says; `essence` is "" where it says nothing that can be understood. */
export interface MediaType {
	/** `text/html` */
	readonly essence: string;
	readonly charset: string | undefined;
}

/** Reads a `content-type`; many servers write odd ones, and what is longer than any type is no type. */
export function readMediaType(header: string): MediaType {
	try {
		const { essence, params } = new MIMEType(header);
		const isType = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(essence);
		return { essence: isType ? essence : "", charset: params.get("charset") ?? undefined };
	} catch {
		return { essence: "", charset: undefined };
	}
}

/** Whether such a body is worth reading: text, or something that may be. */
export function mayBeText({ essence }: MediaType): boolean {
	if (essence === "" || essence === "application/octet-stream") return true;
	return essence.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(essence) || textTypes.has(essence);
}

/** Whether the text is a page for people to look at. */
export function isHtml({ essence }: MediaType, text: string): boolean {
	if (essence === "text/html" || essence === "application/xhtml+xml") return true;
	return essence === "" && /^\s{0,100}<(?:!doctype html|html)\b/i.test(text);
}

/**
 * The text that the bytes are: by their byte order mark, the charset of the header, the one that HTML declares, or
 * UTF-8. Undefined where they are no text.
 */
export function decodeText(bytes: Buffer, type: MediaType): string | undefined {
	const text = decoderOf(bytes, type).decode(bytes);
	return text.slice(0, SNIFFED).includes("\0") ? undefined : text;
}

function decoderOf(bytes: Buffer, { essence, charset }: MediaType): TextDecoder {
	const marked = markedCharset(bytes);
	const declared = essence === "text/html" || essence === "" ? declaredCharset(bytes) : undefined;
	for (const label of [marked, charset, declared]) {
		try {
			if (label !== undefined) return new TextDecoder(label);
		} catch {
			// No charset of this name exists: the next best guess.
		}
	}
	return new TextDecoder();
}

function markedCharset(bytes: Buffer): string | undefined {
	if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return "utf-8";
	const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
	if (mark === 0xfeff) return "utf-16be";
	return mark === 0xfffe ? "utf-16le" : undefined;
}

function declaredCharset(bytes: Buffer): string | undefined {
	const start = bytes.subarray(0, DECLARED_WITHIN).toString("latin1");
	const label = /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(start)?.[1];
	// What could be read so far is no UTF-16, whatever it says of itself.
	return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

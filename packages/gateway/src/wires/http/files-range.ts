import type { IncomingMessage } from "node:http";
import type { ByteRange, KeptFile } from "@parley/core";
import { HttpError } from "./files-reply.ts";

/** A strong tag: the same content has the same. */
export function tagOf({ sha256 }: KeptFile): string {
	return `"${sha256}"`;
}

/** Whether the client has this very content already: RFC 9110, section 13.1.2. */
export function isKnown({ headers }: IncomingMessage, file: KeptFile): boolean {
	const tags = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
	return tags.includes("*") || tags.includes(tagOf(file));
}

/**
 * The one part that is asked for; undefined for the whole, which also answers whatever is no single range of bytes, or
 * is meant for another content: RFC 9110, section 14.2.
 */
export function rangeOf({ headers, method }: IncomingMessage, file: KeptFile): ByteRange | undefined {
	const condition = headers["if-range"];
	const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
	const meant = method === "GET" && (condition === undefined || condition === tagOf(file));
	if (!meant || (first === "" && last === "")) return undefined;
	const range = resolve(first, last, file.bytes);
	if (range.start < file.bytes && range.start <= range.end) return range;
	if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
	throw new HttpError(416, `the file has ${file.bytes} bytes`, { "content-range": `bytes */${file.bytes}` });
}

function resolve(first: string, last: string, bytes: number): ByteRange {
	const end = bytes - 1;
	if (first === "") return { start: last === "0" ? bytes : Math.max(0, bytes - Number(last)), end };
	return { start: Number(first), end: last === "" ? end : Math.min(end, Number(last)) };
}

import type { Readable, Transform } from "node:stream";
import { MIMEType, TextDecoder } from "node:util";
import * as zlib from "node:zlib";
import { type Clock, ParleyError } from "@parley/base";
import type { Dispatcher } from "undici";
import { type Body, collect } from "../../sandbox/egress/collect.ts";
import { findAddresses, type Lookup, orAborted, type Reach, within } from "../../sandbox/egress/reach.ts";
import { isSameSite, readRedirect } from "./page-url.ts";
import { pageTexts } from "./texts.ts";

const MAX_REDIRECTS = 3;
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_TOTAL_MS = 20_000;
/** Maximum milliseconds per request, from the DNS lookup to the last header. */
const MAX_HEADERS_MS = 10_000;

/** Value of `accept-encoding`. `deflate` is missing because servers use this name for two formats. */
const acceptedEncodings = "gzip, br, zstd";

/** Headers of every request. Neither the model nor a page can add or change a header. Cookies are not stored. */
const requestHeaders = {
	accept: "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
	"accept-encoding": acceptedEncodings,
	"user-agent": "Parley (web_fetch)",
};

/** Status codes of redirects: https://www.rfc-editor.org/rfc/rfc9110#section-15.4 */
const redirects = new Set([301, 302, 303, 307, 308]);

const faults: Readonly<Record<string, string>> = {
	ECONNREFUSED: pageTexts.refused,
	ECONNRESET: pageTexts.closed,
	UND_ERR_SOCKET: pageTexts.closed,
	UND_ERR_CONNECT_TIMEOUT: pageTexts.timedOut,
	UND_ERR_HEADERS_OVERFLOW: pageTexts.tooManyHeaders,
	ERR_TLS_CERT_ALTNAME_INVALID: pageTexts.otherCertificate,
};

export interface GetDeps {
	readonly clock: Clock;
	readonly reach: Reach;
	readonly lookup: Lookup;
}

export interface Page {
	readonly kind: "page";
	readonly url: URL;
	readonly status: number;
	readonly type: MediaType;
	readonly body: Body;
}

interface Redirect {
	readonly kind: "elsewhere";
	readonly url: URL;
	readonly status: number;
	readonly next: URL;
}

/**
 * Fetches a page with GET. Follows redirects within the site, and checks each redirect like the first URL.
 * Returns a redirect to another site without following it. Every connection uses an address that was looked
 * up once and checked, never a name. Rejects with the signal's reason if the signal aborts, and with an error
 * for the model if the page cannot be fetched.
 */
export function getPage(first: URL, deps: GetDeps, signal: AbortSignal): Promise<Page | Redirect> {
	const limit = { ms: MAX_TOTAL_MS, subject: pageTexts.page, clock: deps.clock };
	return within(limit, signal, async (limited) => {
		let url = first;
		for (let followed = 0; ; followed += 1) {
			const answer = await visit(url, deps, limited);
			if (answer.kind === "page" || !isSameSite(first, answer.next)) return answer;
			if (followed === MAX_REDIRECTS) {
				throw new ParleyError(pageTexts.tooManyRedirects(MAX_REDIRECTS), { code: "failed_precondition" });
			}
			url = answer.next;
		}
	});
}

async function visit(url: URL, deps: GetDeps, signal: AbortSignal): Promise<Page | Redirect> {
	const limit = { ms: MAX_HEADERS_MS, subject: pageTexts.firstPart, clock: deps.clock };
	let agent: Dispatcher | undefined;
	try {
		const response = await within(limit, signal, async (limited) => {
			agent = await agentFor(await findAddresses(url, deps, limited));
			const path = url.pathname + url.search;
			const request = {
				origin: url.origin,
				path,
				method: "GET",
				headers: requestHeaders,
				signal: limited,
			} as const;
			// undici ignores the signal while it opens a connection.
			return orAborted(agent.request(request), limited);
		});
		return await readAnswer(url, response, deps.reach);
	} catch (reason) {
		signal.throwIfAborted();
		throw reason instanceof ParleyError ? reason : unreachable(url, reason);
	} finally {
		await agent?.destroy();
	}
}

/** Returns a dispatcher that connects only to `addresses`, even if the name later resolves to other addresses. */
async function agentFor(addresses: readonly string[]): Promise<Dispatcher> {
	const { Agent } = await import("undici");
	const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
	return new Agent({
		allowH2: false,
		maxHeaderSize: MAX_HEADER_BYTES,
		// The injected clock limits the time of each request. undici's own limit only ends abandoned connection attempts.
		headersTimeout: 0,
		bodyTimeout: 0,
		connect: {
			timeout: MAX_HEADERS_MS,
			lookup: (_name, { all }, found) => {
				const [only] = pinned;
				if (all) found(null, pinned);
				else found(null, only?.address ?? "", only?.family);
			},
		},
	});
}

async function readAnswer(
	url: URL,
	{ statusCode: status, headers, body }: Dispatcher.ResponseData,
	reach: Reach,
): Promise<Page | Redirect> {
	const header = (name: string): string => [headers[name] ?? ""].flat()[0] ?? "";
	const type = readMediaType(header("content-type"));
	if (redirects.has(status) && header("location") !== "") {
		discardBody(body);
		return { kind: "elsewhere", url, status, next: readRedirect(url, header("location"), reach) };
	}
	if (!mayBeText(type)) {
		discardBody(body);
		throw notText(url, type, header("content-length"));
	}
	const read = await readBody(body, header("content-encoding"), MAX_BODY_BYTES);
	return { kind: "page", url, status, type, body: read };
}

/**
 * Returns the error for a response that is not text. The error names the media type. `bytes` is the size of the response
 * in bytes, or "" if unknown.
 */
export function notText(url: URL, { essence }: MediaType, bytes: string): ParleyError {
	const size = /^\d{1,16}$/.test(bytes) ? `${bytes} bytes` : pageTexts.unknownSize;
	return new ParleyError(pageTexts.notText(url.href, essence, size), {
		code: "invalid_argument",
	});
}

function discardBody(body: Dispatcher.ResponseData["body"]): void {
	// An incomplete response emits an error event, which needs a listener.
	body.on("error", () => undefined);
	body.destroy();
}

function unreachable(url: URL, reason: unknown): ParleyError {
	const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
	const fault = faults[code] ?? pageTexts.unreadable(code);
	return new ParleyError(pageTexts.unreachable(url.host, fault), { code: "unavailable", cause: reason });
}

/**
 * Reads up to `limit` decompressed bytes of a body, so that a small compressed body cannot use unlimited
 * memory. Rejects with `unavailable` if the body is damaged, cannot be decompressed, or ends early.
 */
export async function readBody(source: Readable, encoding: string, limit: number): Promise<Body> {
	// The stream is read until its end, its limit or its first error. Later errors have no effect.
	source.on("error", () => undefined);
	try {
		const unpacker = unpackerOf(encoding);
		if (!unpacker) return await collect(source, limit);
		source.once("error", (reason) => unpacker.destroy(reason));
		let empty = true;
		source.once("data", () => {
			empty = false;
		});
		return await collect(source.pipe(unpacker), limit).catch((reason) => {
			// Some servers name an encoding even for an empty body.
			if (empty && source.readableEnded) return { bytes: Buffer.alloc(0), cut: false };
			throw reason;
		});
	} catch (reason) {
		if (reason instanceof ParleyError) throw reason;
		throw new ParleyError(pageTexts.damaged, { code: "unavailable", cause: reason });
	} finally {
		source.destroy();
	}
}

function unpackerOf(encoding: string): Transform | undefined {
	switch (encoding.trim().toLowerCase()) {
		case "":
		case "identity":
			return undefined;
		case "gzip":
		case "x-gzip":
			return zlib.createGunzip();
		case "deflate":
			return zlib.createInflate();
		case "br":
			return zlib.createBrotliDecompress();
		case "zstd":
			// Window size that browsers must support. No ordinary page needs a larger window: https://www.rfc-editor.org/rfc/rfc9659
			return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } });
		default:
			throw new ParleyError(pageTexts.otherEncoding, { code: "unavailable" });
	}
}

/**
 * Maximum offset at which HTML must declare its charset, in bytes:
 * https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
 */
const DECLARED_WITHIN = 1024;
/**
 * Number of characters at the start of a body that are checked for NUL. A NUL marks a binary file. Git checks the same
 * number of bytes.
 */
const SNIFFED = 8_000;

const textTypes = new Set(
	[
		"json",
		"xml",
		"javascript",
		"ecmascript",
		"x-javascript",
		"x-ndjson",
		"jsonlines",
		"graphql",
		"yaml",
		"x-yaml",
		"toml",
		"sql",
		"x-sh",
		"x-www-form-urlencoded",
		"xhtml+xml",
	].map((subtype) => `application/${subtype}`),
);

/** `essence` is "" if the header is missing or invalid. */
interface MediaType {
	/** Type and subtype, for example `text/html`. */
	readonly essence: string;
	readonly charset: string | undefined;
}

/**
 * Parses a `content-type` header. Returns the essence "" for an invalid header, or for a type or subtype of
 * more than 80 characters.
 */
export function readMediaType(header: string): MediaType {
	try {
		const { essence, params } = new MIMEType(header);
		const isType = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(essence);
		return { essence: isType ? essence : "", charset: params.get("charset") ?? undefined };
	} catch {
		return { essence: "", charset: undefined };
	}
}

/** Whether a body of this type may be text. */
export function mayBeText({ essence }: MediaType): boolean {
	if (essence === "" || essence === "application/octet-stream") return true;
	return essence.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(essence) || textTypes.has(essence);
}

/** Whether the text is HTML: by its type or, if the type is missing, by its first tag. */
export function isHtml({ essence }: MediaType, text: string): boolean {
	if (essence === "text/html" || essence === "application/xhtml+xml") return true;
	return essence === "" && /^\s{0,100}<(?:!doctype html|html)\b/i.test(text);
}

/**
 * Decodes bytes by the first known charset of: the byte order mark, the header, and the declaration in the HTML. Default:
 * UTF-8. Returns undefined if one of the first 8,000 characters is NUL.
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
			// The charset is unknown, so the next label applies.
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
	// The declaration was readable as ASCII, so the text is not UTF-16.
	return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

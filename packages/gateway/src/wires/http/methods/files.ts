import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import { type ByteRange, type Files, FileTooLargeError, type Principal, type StoredFile } from "@parley/core";
import type { UploadedFile } from "@parley/protocol";
import { create, parse } from "content-disposition";
import type { UploadCounts, UploadRefusal } from "../../../metrics/client-metrics.ts";
import { httpErrorTexts } from "../../../texts/wires/http.ts";
import { encodeFile } from "../../shared/file-json.ts";
import { toTime } from "../../shared/time.ts";
import { fileStatusOf } from "../error-code.ts";
import { answerUnread, HttpError, sendJson } from "../reply.ts";

/** Milliseconds without progress after which a client is treated as disconnected. */
const patienceMs = 30_000;

export interface FileRoutes {
	readonly files: Files;
	readonly clock: Clock;
	readonly log: Logger;
	readonly counts?: UploadCounts | undefined;
}

export interface FileRequest extends FileRoutes {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly principal: Principal;
}

const filesPath = "/api/files";

/** Whether the body of a request is the content of a file. Only `answerFiles` reads the body of such a request. */
export function carriesFile({ method, url = "" }: IncomingMessage): boolean {
	// The path is parsed in the same way as in the router. For the router, `/api/./files` is the same path as
	// `/api/files`.
	return method === "POST" && URL.parse(`http://gateway${url}`)?.pathname === filesPath;
}

export function isFilePath(path: string): boolean {
	return path === filesPath || path.startsWith(`${filesPath}/`);
}

/** Answers an upload or a download of a file. Never rejects for an error that a client can cause. */
export async function answerFiles(fileRequest: FileRequest): Promise<void> {
	const { request, response, url, clock, log } = fileRequest;
	try {
		if (url.pathname === filesPath) await upload(fileRequest);
		else await download(fileRequest, url.pathname.slice(filesPath.length + 1));
	} catch (reason) {
		if (request.socket.destroyed) return;
		if (response.headersSent) {
			// The length was sent, so only a reset shows that the content is incomplete.
			log.warn("a file could not be sent", { error: reason });
			response.destroy();
			return;
		}
		const { status, headers, message } = answerTo(reason, log);
		const reply = { status, headers, body: { error: message } };
		if (request.complete) sendJson(response, reply);
		else await answerUnread({ request, response, clock }, reply);
	}
}

function answerTo(reason: unknown, log: Logger): HttpError {
	if (reason instanceof HttpError) return reason;
	const { code, message } = ParleyError.from(reason);
	const status = reason instanceof FileTooLargeError ? 413 : fileStatusOf(code);
	if (status === 500) log.error("a request for a file failed", { error: reason });
	return new HttpError(status, message);
}

async function upload(fileRequest: FileRequest): Promise<void> {
	const { request, response } = fileRequest;
	if (request.method !== "POST") throw new HttpError(405, httpErrorTexts.usePost, { allow: "POST" });
	const stored = await store(fileRequest);
	const body: UploadedFile = {
		...encodeFile(stored),
		sha256: stored.sha256,
		expires_at: toTime(stored.expiresAt),
	};
	sendJson(response, { status: 201, body, headers: { location: body.url } });
}

async function store(fileRequest: FileRequest): Promise<StoredFile> {
	const { request, clock, log, principal, counts } = fileRequest;
	const beganAt = clock.monotonic();
	let bytes = 0;
	// The log lines omit the file name, because it may contain any text.
	const facts = (): object => ({
		principal: principal.id,
		bytes,
		durationMs: Math.round(clock.monotonic() - beganAt),
	});
	counts?.began();
	try {
		const stored = await storeBody(fileRequest, (received) => {
			bytes += received;
			counts?.received(received);
		});
		counts?.stored();
		log.info("an upload was stored", { ...facts(), file: stored.id });
		return stored;
	} catch (reason) {
		const refusal = refusalOf(reason, request);
		counts?.refused(refusal);
		log.warn("an upload was refused", { ...facts(), reason: refusal });
		throw reason;
	}
}

function refusalOf(reason: unknown, { socket }: IncomingMessage): UploadRefusal {
	if (reason instanceof HttpError) return "wrapped";
	if (reason instanceof FileTooLargeError) return "too_large";
	const { code } = ParleyError.from(reason);
	if (code === "deadline_exceeded") return "stalled";
	return socket.destroyed ? "gone" : (refusals[code] ?? "failed");
}

const refusals: Partial<Record<ParleyError["code"], UploadRefusal>> = {
	invalid_argument: "malformed",
	permission_denied: "forbidden",
	resource_exhausted: "full",
	unavailable: "unavailable",
};

async function storeBody(
	{ request, response, url, files, clock, principal }: FileRequest,
	onReceived: (bytes: number) => void,
): Promise<StoredFile> {
	refuseWrapped(request);
	const length = Number(request.headers["content-length"] ?? 0);
	if (length > files.limits.maxBytes) throw new FileTooLargeError(files.limits.maxBytes);
	const key = readKey(request);
	const name = readName(request, url);
	if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
	const content = patiently(request, clock, onReceived);
	return files.store(principal, { name, content, key });
}

function refuseWrapped({ headers }: IncomingMessage): void {
	const { "content-type": type = "", "content-encoding": encoding = "identity" } = headers;
	if (/^multipart\//i.test(type)) {
		throw new HttpError(415, httpErrorTexts.multipart);
	}
	// Without this check, the file would be stored in its encoded form.
	if (encoding.toLowerCase() === "identity") return;
	throw new HttpError(415, httpErrorTexts.contentEncoding({ encoding }));
}

/**
 * Returns the idempotency key of a request, or undefined without the header. Accepts keys without the quotes that the
 * draft requires: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
function readKey({ headers }: IncomingMessage): string | undefined {
	const header = headers["idempotency-key"];
	if (header === undefined) return undefined;
	const key = typeof header === "string" ? header.replace(/^"(.*)"$/, "$1") : "";
	if (key.length >= 1 && key.length <= 128) return key;
	throw new ParleyError(httpErrorTexts.idempotencyKey, {
		code: "invalid_argument",
	});
}

function readName({ headers }: IncomingMessage, url: URL): string {
	const name = url.searchParams.get("name");
	if (name !== null) return name;
	const disposition = headers["content-disposition"];
	return disposition === undefined ? "" : (parse(disposition).parameters["filename"] ?? "");
}

async function* patiently(
	request: IncomingMessage,
	clock: Clock,
	onReceived: (bytes: number) => void,
): AsyncGenerator<Buffer> {
	const stopped = new ParleyError(httpErrorTexts.uploadStopped, { code: "deadline_exceeded" });
	const watch = () => clock.after(patienceMs, () => request.destroy(stopped));
	let timer = watch();
	try {
		// If the loop ends early, the connection stays open for the response.
		for await (const chunk of request.iterator({ destroyOnReturn: false })) {
			timer.cancel();
			onReceived(chunk.length);
			yield chunk;
			timer = watch();
		}
	} finally {
		timer.cancel();
	}
}

/** Sends a file as a download, never as a page of the gateway. */
async function download(fileRequest: FileRequest, id: string): Promise<void> {
	const { request, response, files, principal } = fileRequest;
	if (request.method !== "GET" && request.method !== "HEAD") {
		throw new HttpError(405, httpErrorTexts.useGet, { allow: "GET, HEAD" });
	}
	const file = await files.find(principal, id);
	const headers = headersOf(file);
	if (isKnown(request, file)) {
		response.writeHead(304, headers).end();
		return;
	}
	const range = rangeOf(request, file);
	const length = range ? range.end - range.start + 1 : file.bytes;
	const described = defined({
		...headers,
		"content-type": typeOf(file),
		"content-length": length,
		"content-range": range && `bytes ${range.start}-${range.end}/${file.bytes}`,
	});
	if (request.method === "HEAD") {
		response.writeHead(200, described).end();
		return;
	}
	const content = await files.read(id, range);
	response.writeHead(range ? 206 : 200, described);
	await sendContent(content, response, fileRequest.clock);
}

function headersOf(file: StoredFile): Record<string, string> {
	return {
		"content-disposition": create(file.name, { type: "attachment" }),
		"content-security-policy": "default-src 'none'; sandbox",
		"x-content-type-options": "nosniff",
		"cross-origin-resource-policy": "same-origin",
		"cache-control": "private, no-cache",
		"accept-ranges": "bytes",
		etag: tagOf(file),
	};
}

function typeOf({ mediaType }: StoredFile): string {
	return mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType;
}

/** Sends the content of a file. Rejects if a full buffer is not emptied within `patienceMs`. */
async function sendContent(content: Readable, response: ServerResponse, clock: Clock): Promise<void> {
	try {
		for await (const chunk of content) {
			if (response.destroyed) return;
			if (!response.write(chunk)) await drained(response, clock);
		}
		response.end();
	} finally {
		content.destroy();
	}
}

function drained(response: ServerResponse, clock: Clock): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const settle = () => resolve();
	const timer = clock.after(patienceMs, () => {
		reject(new ParleyError(httpErrorTexts.downloadStopped, { code: "deadline_exceeded" }));
	});
	response.once("drain", settle).once("close", settle);
	return promise.finally(() => {
		timer.cancel();
		response.off("drain", settle).off("close", settle);
	});
}

/** Returns a strong entity tag: RFC 9110, section 8.8.1. */
function tagOf({ sha256 }: StoredFile): string {
	return `"${sha256}"`;
}

/** Whether the client already has the file, according to `If-None-Match`: RFC 9110, section 13.1.2. */
function isKnown({ headers }: IncomingMessage, file: StoredFile): boolean {
	const tags = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
	return tags.includes("*") || tags.includes(tagOf(file));
}

/**
 * Returns the requested range of the file. Returns undefined if the response contains the complete file, for example
 * for several ranges: RFC 9110, section 14.2. Throws a 416 error if the file has no byte in the range.
 */
function rangeOf({ headers, method }: IncomingMessage, file: StoredFile): ByteRange | undefined {
	const condition = headers["if-range"];
	const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
	const allowsRange = method === "GET" && (condition === undefined || condition === tagOf(file));
	if (!allowsRange || (first === "" && last === "")) return undefined;
	const range = resolveRange(first, last, file.bytes);
	if (range.start < file.bytes && range.start <= range.end) return range;
	if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
	const shownRange = JSON.stringify(headers.range?.slice(0, 100));
	throw new HttpError(416, httpErrorTexts.fileSize({ range: shownRange, bytes: file.bytes }), {
		"content-range": `bytes */${file.bytes}`,
	});
}

function resolveRange(first: string, last: string, bytes: number): ByteRange {
	const end = bytes - 1;
	if (first === "") return { start: last === "0" ? bytes : Math.max(0, bytes - Number(last)), end };
	return { start: Number(first), end: last === "" ? end : Math.min(end, Number(last)) };
}

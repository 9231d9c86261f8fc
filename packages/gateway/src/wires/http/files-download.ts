import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Clock, ParleyError } from "@parley/base";
import type { KeptFile } from "@parley/core";
import { create } from "content-disposition";
import type { FileRequest } from "./files.ts";
import { isKnown, rangeOf, tagOf } from "./files-range.ts";
import { HttpError } from "./files-reply.ts";

/** A client that takes nothing for so long has gone; one that takes it slowly has not. */
const patienceMs = 30_000;

/** Gives a file out: to be saved, never to be shown as a page of the gateway. */
export async function download(asked: FileRequest, id: string): Promise<void> {
	const { request, response, files, principal } = asked;
	if (request.method !== "GET" && request.method !== "HEAD") {
		throw new HttpError(405, "only GET is served here", { allow: "GET, HEAD" });
	}
	const file = await files.find(principal, id);
	const headers = headersOf(file);
	if (isKnown(request, file)) {
		response.writeHead(304, headers).end();
		return;
	}
	const range = rangeOf(request, file);
	const length = range ? range.end - range.start + 1 : file.bytes;
	const described = {
		...{ ...headers, "content-type": typeOf(file), "content-length": length },
		...(range && { "content-range": `bytes ${range.start}-${range.end}/${file.bytes}` }),
	};
	if (request.method === "HEAD") {
		response.writeHead(200, described).end();
		return;
	}
	const content = await files.read(id, range);
	response.writeHead(range ? 206 : 200, described);
	await pour(content, response, asked.clock);
}

function headersOf(file: KeptFile): Record<string, string> {
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

function typeOf({ mediaType }: KeptFile): string {
	return mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType;
}

/** As fast as the client takes it; one that has stopped is cut off. */
async function pour(content: Readable, response: ServerResponse, clock: Clock): Promise<void> {
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
		reject(new ParleyError("the client takes nothing any more", { code: "deadline_exceeded" }));
	});
	response.once("drain", settle).once("close", settle);
	return promise.finally(() => {
		timer.cancel();
		response.off("drain", settle).off("close", settle);
	});
}

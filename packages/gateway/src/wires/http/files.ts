import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { type Files, FileTooLargeError, type Principal } from "@parley/core";
import type { UploadCounts } from "../../metrics/upload-counts.ts";
import { download } from "./files-download.ts";
import { answerUnread, HttpError, sendJson } from "./files-reply.ts";
import { upload } from "./files-upload.ts";

/** What the places for files need. */
export interface FileRoutes {
	readonly files: Files;
	readonly clock: Clock;
	readonly log: Logger;
	readonly counts?: UploadCounts | undefined;
}

/** A request for one of the places for files, from somebody who is known. */
export interface FileRequest extends FileRoutes {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly principal: Principal;
}

const filesPath = "/api/files";

/** Whether its body is the content of a file, to be read by `answerFiles` alone. */
export function carriesFile({ method, url = "" }: Pick<IncomingMessage, "method" | "url">): boolean {
	// Read as the router reads it: `/api/./files` is the same place.
	return method === "POST" && URL.parse(`http://gateway${url}`)?.pathname === filesPath;
}

export function isFilePath(path: string): boolean {
	return path === filesPath || path.startsWith(`${filesPath}/`);
}

/** Takes a file or gives one out, as a stream both ways. Never rejects for what a client can cause. */
export async function answerFiles(asked: FileRequest): Promise<void> {
	const { request, response, url, clock, log } = asked;
	try {
		if (url.pathname === filesPath) await upload(asked);
		else await download(asked, url.pathname.slice(filesPath.length + 1));
	} catch (reason) {
		if (request.socket.destroyed) return;
		if (response.headersSent) {
			// The length was promised: only a cut tells that it is not the whole.
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
	const status = reason instanceof FileTooLargeError ? 413 : (statuses[code] ?? 500);
	if (status === 500) log.error("a request for a file failed", { error: reason });
	return new HttpError(status, message);
}

/** What is full may have room later, and says so: RFC 4918, section 11.5. */
const statuses: Partial<Record<ParleyError["code"], number>> = {
	invalid_argument: 400,
	not_found: 404,
	permission_denied: 403,
	resource_exhausted: 507,
	unavailable: 503,
};

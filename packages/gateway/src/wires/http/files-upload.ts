import type { IncomingMessage } from "node:http";
import { type Clock, ParleyError } from "@parley/base";
import { FileTooLargeError, type KeptFile } from "@parley/core";
import type { UploadedFile } from "@parley/protocol";
import { parse } from "content-disposition";
import type { UploadRefusal } from "../../metrics/upload-counts.ts";
import { encodeFile } from "../shared/file-json.ts";
import { toTime } from "../shared/time.ts";
import type { FileRequest } from "./files.ts";
import { HttpError, sendJson } from "./files-reply.ts";

/** A client that sends nothing for so long has gone; one that sends slowly has not. */
const patienceMs = 30_000;

/** Keeps the body of a `POST` as a file. What can be refused by its head is refused before any of the body is read. */
export async function upload(asked: FileRequest): Promise<void> {
	const { request, response } = asked;
	if (request.method !== "POST") throw new HttpError(405, "only POST is served here", { allow: "POST" });
	const kept = await told(asked);
	const body: UploadedFile = {
		...{ ...encodeFile(kept), sha256: kept.sha256, expires_at: toTime(kept.expiresAt) },
	};
	sendJson(response, { status: 201, body, headers: { location: body.url } });
}

/** Counts and logs what becomes of it. Names stay out of the log: people put anything into them. */
async function told(asked: FileRequest): Promise<KeptFile> {
	const { request, clock, log, principal, counts } = asked;
	const beganAt = clock.monotonic();
	let bytes = 0;
	const facts = (): object => ({
		...{ principal: principal.id, bytes, durationMs: Math.round(clock.monotonic() - beganAt) },
	});
	counts?.began();
	try {
		const kept = await keep(asked, (received) => {
			bytes += received;
			counts?.received(received);
		});
		counts?.kept();
		log.info("an upload was kept", { ...facts(), file: kept.id });
		return kept;
	} catch (reason) {
		const refusal = refusalOf(reason, request);
		counts?.refused(refusal);
		log.warn("an upload was not kept", { ...facts(), reason: refusal });
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

async function keep(
	{ request, response, url, files, clock, principal }: FileRequest,
	onReceived: (bytes: number) => void,
): Promise<KeptFile> {
	refuseWrapped(request);
	const length = Number(request.headers["content-length"] ?? 0);
	if (length > files.limits.maxBytes) throw new FileTooLargeError(files.limits.maxBytes);
	const key = readKey(request);
	const name = readName(request, url);
	if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
	const content = patiently(request, clock, onReceived);
	return files.keep(principal, { name, content, key });
}

/** The body is the file itself; what wraps it would be kept with it. */
function refuseWrapped({ headers }: IncomingMessage): void {
	const { "content-type": type = "", "content-encoding": encoding = "identity" } = headers;
	if (/^multipart\//i.test(type)) {
		const how = "send the file itself as the body (curl --data-binary @FILE), its name as ?name=";
		throw new HttpError(415, `multipart bodies are not taken: ${how}`);
	}
	if (encoding.toLowerCase() === "identity") return;
	throw new HttpError(415, `the content encoding ${encoding} is not taken: send the file as it is`);
}

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ writes it in quotes, most clients do not. */
function readKey({ headers }: IncomingMessage): string | undefined {
	const header = headers["idempotency-key"];
	if (header === undefined) return undefined;
	const key = typeof header === "string" ? header.replace(/^"(.*)"$/, "$1") : "";
	if (key.length >= 1 && key.length <= 128) return key;
	throw new ParleyError("idempotency-key: one of 1 to 128 characters is wanted", {
		code: "invalid_argument",
	});
}

function readName({ headers }: IncomingMessage, url: URL): string {
	const said = url.searchParams.get("name");
	if (said !== null) return said;
	const disposition = headers["content-disposition"];
	return disposition === undefined ? "" : (parse(disposition).parameters["filename"] ?? "");
}

async function* patiently(
	request: IncomingMessage,
	clock: Clock,
	onReceived: (bytes: number) => void,
): AsyncGenerator<Buffer> {
	const gone = new ParleyError("the upload has stopped", { code: "deadline_exceeded" });
	const watch = () => clock.after(patienceMs, () => request.destroy(gone));
	let timer = watch();
	try {
		// Left early, it still has an answer to carry.
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

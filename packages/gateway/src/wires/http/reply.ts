import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@parley/base";

export class HttpError extends Error {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;

	constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
		super(message);
		this.status = status;
		this.headers = headers;
	}
}

export interface JsonReply {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds for a client to stop an unwanted upload. */
const lingerMs = 5_000;

export function sendJson(response: ServerResponse, reply: JsonReply): void {
	response.end(writeHead(response, reply));
}

/**
 * Answers a request without reading its body, and closes the connection. Discards the body for at most `lingerMs`,
 * because a reset could make the client lose the answer (RFC 9112, section 9.6).
 */
export async function answerUnread(
	{ request, response, clock }: { request: IncomingMessage; response: ServerResponse; clock: Clock },
	reply: JsonReply,
): Promise<void> {
	const headers = { ...reply.headers, connection: "close" };
	response.write(writeHead(response, { ...reply, headers }));
	request.on("error", () => undefined);
	request.resume();
	const { promise, resolve } = Promise.withResolvers<void>();
	for (const event of ["end", "close"]) request.once(event, () => resolve());
	const timer = clock.after(lingerMs, resolve);
	await promise;
	timer.cancel();
	response.end();
}

function writeHead(response: ServerResponse, { status, body, headers }: JsonReply): string {
	const text = JSON.stringify(body);
	response.writeHead(status, {
		...headers,
		"content-type": "application/json",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	return text;
}

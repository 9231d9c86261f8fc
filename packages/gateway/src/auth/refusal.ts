import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** HTTP response for a refused request. */
export interface Refusal {
	readonly status: 400 | 401 | 403 | 405 | 421 | 429 | 503;
	/** Headers by name in lower case, without the headers that describe the body. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: { readonly error: string; readonly hint: string };
}

/** Refuses an ordinary request. The response closes the connection, so that an unread body cannot become the next request. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
	response.writeHead(refusal.status, { ...contentHeaders(refusal), connection: "close" });
	response.end(JSON.stringify(refusal.body));
}

/**
 * Refuses an upgrade on its socket, because Node passes no response object. Closes the socket, even if the client does not
 * close its end.
 */
export function sendUpgradeRefusal(socket: Duplex, refusal: Refusal): void {
	const headers = Object.entries({ ...contentHeaders(refusal), connection: "close" });
	const head = [
		`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
		...headers.map(([name, value]) => `${name}: ${value}`),
	];
	socket.once("finish", () => socket.destroy());
	socket.end(`${head.join("\r\n")}\r\n\r\n${JSON.stringify(refusal.body)}`);
}

function contentHeaders(refusal: Refusal): Record<string, string> {
	return {
		...refusal.headers,
		"content-type": "application/json",
		"content-length": String(Buffer.byteLength(JSON.stringify(refusal.body))),
		"cache-control": "no-store",
	};
}

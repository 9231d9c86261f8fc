import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@parley/base";

/** The longest password has 4096 characters, each of which a form writes with nine at most. */
const mostBytes = 64 * 1024;
const patienceMs = 30_000;

/** The fields of a form that a browser sent, or the HTTP status that says why there are none. */
export async function readForm(
	request: IncomingMessage,
	clock: Clock,
): Promise<URLSearchParams | 400 | 413 | 415> {
	const [type = ""] = (request.headers["content-type"] ?? "").split(";");
	const chunks: Buffer[] = [];
	let bytes = 0;
	const timer = clock.after(patienceMs, () => request.destroy());
	try {
		// Read to its end also where it is not wanted: the answer may be lost on a connection that is cut before.
		for await (const chunk of request) {
			bytes += chunk.length;
			if (bytes <= mostBytes) chunks.push(chunk);
		}
	} finally {
		timer.cancel();
	}
	if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return 415;
	if (bytes > mostBytes) return 413;
	const body = Buffer.concat(chunks);
	return isUtf8(body) ? new URLSearchParams(body.toString("utf8")) : 400;
}

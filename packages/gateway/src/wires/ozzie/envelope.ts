import type { IncomingHttpHeaders } from "node:http";
import { parseJson } from "@parley/base";
import type { Refusal } from "../../auth/refusal.ts";
import { ozzieErrorTexts } from "../../texts/wires/ozzie.ts";

/**
 * Shape of the frames of a connection:
 * - `flat`: the form of the protocol document.
 * - `both`: the form for existing Go clients. These clients read the inner payload, accept no message above 32 KiB,
 *   and answer a `confirm` without a value.
 */
export type FrameShape = "flat" | "both";

/** Envelope that an upgrade requests. With `first frame`, the first frame of the client decides. */
export type RequestedEnvelope = FrameShape | "first frame";

interface UpgradeRequest {
	readonly url?: string | undefined;
	readonly headers: IncomingHttpHeaders;
}

/** Reads the envelope from `?envelope=`, or from the handshake. Returns a refusal (400) for an unknown name. */
export function readEnvelope({ url, headers }: UpgradeRequest): RequestedEnvelope | Refusal {
	const [, query = ""] = (url ?? "").split(/\?(.*)/s);
	const requested = new URLSearchParams(query).getAll("envelope");
	const [only] = requested;
	if (only === undefined) return isGoHandshake(headers) ? "first frame" : "flat";
	if (requested.length === 1 && (only === "flat" || only === "both")) return only;
	return {
		status: 400,
		headers: {},
		body: {
			error: `unknown envelope: ${JSON.stringify(requested.join(", ").slice(0, 100))}`,
			hint: ozzieErrorTexts.envelopeHint,
		},
	};
}

/**
 * Whether an upgrade request looks like the request of an existing Go client. These clients use coder/websocket over
 * Go's net/http. They send Go's user agent, accept gzip, and offer neither extensions nor a subprotocol
 * (coder/websocket v1.8.14, dial.go).
 */
export function isGoHandshake(headers: IncomingHttpHeaders): boolean {
	return (
		headers["user-agent"] === "Go-http-client/1.1" &&
		headers["accept-encoding"] === "gzip" &&
		unsent.every((name) => headers[name] === undefined)
	);
}

const unsent = ["origin", "cookie", "sec-websocket-extensions", "sec-websocket-protocol"] as const;

/** First frame of the existing Go clients, up to its parameters. Go writes struct fields in their order, without spaces. */
const opening = '{"type":"req","id":"req-1","method":"open_session","params":{';

/** Whether a frame has the form in which existing Go clients send the first frame of a connection. */
export function isGoOpening(text: string): boolean {
	if (!text.startsWith(opening)) return false;
	try {
		const frame = Object(parseJson(text));
		const named = Object.entries(Object(frame.params));
		const known = named.every(
			([name, value]) => parameters.has(name) && typeof value === "string" && value !== "",
		);
		return known && Object.keys(frame).length === 4;
	} catch {
		// The frame is not JSON. The response to the frame reports the error.
		return false;
	}
}

/** Parameters that the first frame of an existing Go client may have. Go omits empty parameters. */
const parameters = new Set(["session_id", "root_dir"]);

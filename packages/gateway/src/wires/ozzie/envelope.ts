import type { IncomingMessage } from "node:http";
import type { Refusal } from "../../auth/refusal.ts";
import { isGoHandshake } from "./go-client.ts";

/**
 * Shape of the frames of a connection: `flat` as in the protocol document, `both` for the existing Go clients. These read
 * the payload inside the payload, accept no message above 32 KiB, and answer a `confirm` without a value.
 */
export type Envelope = "flat" | "both";

/** Envelope that an upgrade asks for: `first frame` if the first frame of the client decides. */
export type WantedEnvelope = Envelope | "first frame";

/** Reads the envelope from `?envelope=`, or from the handshake. Returns a refusal (400) for an unknown name. */
export function readEnvelope({
	url,
	headers,
}: Pick<IncomingMessage, "url" | "headers">): WantedEnvelope | Refusal {
	const [, query = ""] = (url ?? "").split(/\?(.*)/s);
	const wanted = new URLSearchParams(query).getAll("envelope");
	const [only] = wanted;
	if (only === undefined) return isGoHandshake(headers) ? "first frame" : "flat";
	if (wanted.length === 1 && (only === "flat" || only === "both")) return only;
	return {
		status: 400,
		headers: {},
		body: {
			error: `unknown envelope: ${JSON.stringify(wanted.join(", ").slice(0, 100))}`,
			hint: "use ?envelope=flat for the frames of the protocol document, ?envelope=both for Go clients, or neither",
		},
	};
}

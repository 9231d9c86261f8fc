import type { Refusal } from "../auth/refusal.ts";

/**
 * How the frames of a connection are shaped: `flat` as the protocol document shows them, `both` as existing Go clients
 * read them as well, who find the payload once more inside the payload and take no frame above 32 KiB.
 */
export type Envelope = "flat" | "both";

/** Reads `?envelope=` of an upgrade; anything that is not known is refused, so that nobody gets what they cannot read. */
export function readEnvelope(url: string | undefined): Envelope | Refusal {
	const [, query = ""] = (url ?? "").split(/\?(.*)/s);
	const wanted = new URLSearchParams(query).getAll("envelope");
	if (wanted.length === 0) return "flat";
	if (wanted.length === 1 && wanted[0] === "both") return "both";
	return {
		status: 400,
		headers: {},
		body: {
			error: `unknown envelope: ${JSON.stringify(wanted.join(", ").slice(0, 100))}`,
			hint: "leave it out for the frames of the protocol document, or connect to /api/ws?envelope=both",
		},
	};
}

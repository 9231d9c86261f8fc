import { createHash } from "node:crypto";
import type { AttachmentRecord } from "./records.ts";
import type { State } from "./state.ts";

function signature(state: State, id: string, issued: string, expires: string): string {
	return createHash("sha256").update(`${state.app.token}/${id}/${issued}/${expires}`).digest("hex");
}

/**
 * Returns a link that expires. `ex` and `is` are the times of its expiry and creation in hexadecimal seconds,
 * and `hm` is a signature: https://discord.com/developers/docs/reference#signed-attachment-cdn-urls
 */
export function signedLink(state: State, { id, channelId, name }: AttachmentRecord): string {
	const now = Math.floor(state.now() / 1000);
	const issued = now.toString(16);
	const expires = (now + state.settings.linkMs / 1000).toString(16);
	const query = `ex=${expires}&is=${issued}&hm=${signature(state, id, issued, expires)}&`;
	return `${state.cdn}/attachments/${channelId}/${id}/${encodeURIComponent(name)}?${query}`;
}

/** Returns the file of a link. Undefined if the link has expired, has a wrong signature, or does not name a file. */
export function readLink(state: State, link: string): AttachmentRecord | undefined {
	const { pathname, searchParams } = new URL(link);
	const [, kind, , id = ""] = pathname.split("/");
	const [issued = "", expires = "", sign] = ["is", "ex", "hm"].map((name) => searchParams.get(name) ?? "");
	const file = kind === "attachments" ? state.files.get(id) : undefined;
	if (sign !== signature(state, id, issued, expires)) return undefined;
	return Number.parseInt(expires, 16) * 1000 > state.now() ? file : undefined;
}

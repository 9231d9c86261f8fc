import { createHash } from "node:crypto";

/** https://platform.openai.com/docs/api-reference/chat: longer ids of calls are refused. */
const MAX_ID = 40;

/** Length of an id that Mistral accepts: https://docs.mistral.ai/capabilities/function_calling */
const SHORT = 9;

/** Id of a call for a provider. Ids of other providers may have characters or a length that this one refuses. */
export function wireId(id: string, style: "any" | "short"): string {
	if (style === "short") return /^[a-zA-Z0-9]{9}$/.test(id) ? id : hashOf(id).slice(0, SHORT);
	const plain = id.replace(/[^\w-]/g, "_");
	return plain.length <= MAX_ID && plain !== "" ? plain : `call_${hashOf(id).slice(0, MAX_ID - 5)}`;
}

function hashOf(id: string): string {
	return createHash("sha256").update(id).digest("hex");
}

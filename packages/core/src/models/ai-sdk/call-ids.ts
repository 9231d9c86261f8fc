import { createHash } from "node:crypto";

/** Maximum length of a call id: https://platform.openai.com/docs/api-reference/chat */
const MAX_ID = 40;

/** Length of a call id. Mistral accepts no other length: https://docs.mistral.ai/capabilities/function_calling */
const SHORT = 9;

/**
 * Returns the id of a call in a form that the provider accepts. An id from another provider may have invalid characters
 * or an invalid length.
 */
export function wireId(id: string, style: "any" | "short"): string {
	if (style === "short") return /^[a-zA-Z0-9]{9}$/.test(id) ? id : hashOf(id).slice(0, SHORT);
	const plain = id.replace(/[^\w-]/g, "_");
	return plain.length <= MAX_ID && plain !== "" ? plain : `call_${hashOf(id).slice(0, MAX_ID - 5)}`;
}

function hashOf(id: string): string {
	return createHash("sha256").update(id).digest("hex");
}

import { ParleyError } from "@parley/base";
import type { Principal } from "../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";
import { unreadTexts } from "./texts.ts";

/** Maximum bytes of an approval request in a chat. A person can read a request of this length on a phone. */
const maxReadBytes = 16 * 1024;

/** Whether an approval request is too long for a person to read in a chat. False for other questions. */
export function isUnread({
	label,
	approval,
}: {
	readonly label: string;
	readonly approval?: Prompt["approval"];
}): boolean {
	if (!approval) return false;
	const { arguments: args, preview, notes } = approval;
	// For most tools, the label and the preview show the arguments. For some tools, neither shows them, so the larger of
	// the two sizes is compared.
	const shownBytes = Math.max(bytesOf(`${label}${preview}`), bytesOf(JSON.stringify(args)));
	return shownBytes + bytesOf(notes.join("")) > maxReadBytes;
}

function bytesOf(text: string): number {
	return Buffer.byteLength(text);
}

/**
 * Throws `permission_denied` if the response approves a request that is too long to read in the place of the response.
 * Applies to responses from a chat, and through an agent or its form. A person can always deny the request.
 */
export function refuseUnread({ kind, through }: Principal, prompt: Prompt, response: PromptResponse): void {
	if ((kind !== "connector" && through === undefined) || !isUnread(prompt)) return;
	if (readAnswer(prompt, false, response).kind !== "approved") return;
	const message = unreadTexts.refused(kind === "connector" ? "chat" : "form");
	throw new ParleyError(message, { code: "permission_denied" });
}

import { ParleyError } from "@parley/base";
import type { Principal } from "../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";

/** Nobody reads more than that on a telephone, and chat platforms show less at a time. */
const mostRead = 16 * 1024;

/** Stands in a question that is too long for a chat platform. */
export const unreadNote = "longer than 16 KiB: a chat can only deny it, the operator approves it";

/** Whether a person would have to read more than a chat platform shows to know what they approve. */
export function isUnread({
	label,
	approval,
}: {
	readonly label: string;
	readonly approval?: Prompt["approval"];
}): boolean {
	if (!approval) return false;
	const { arguments: args, preview, notes } = approval;
	// The line and the preview tell what stands in the arguments; some tools have neither for them.
	const shownBytes = Math.max(bytesOf(`${label}${preview}`), bytesOf(JSON.stringify(args)));
	return shownBytes + bytesOf(notes.join("")) > mostRead;
}

function bytesOf(text: string): number {
	return Buffer.byteLength(text);
}

/** Refuses the approval of what nobody in a chat has read: `permission_denied`. To deny it is always possible. */
export function refuseUnread({ kind }: Principal, prompt: Prompt, response: PromptResponse): void {
	if (kind !== "connector" || !isUnread(prompt)) return;
	if (readAnswer(prompt, false, response).kind !== "approved") return;
	const message =
		"this takes more than 16 KiB to read, which no chat shows whole: it can be denied here, and the operator approves it with parley answer";
	throw new ParleyError(message, { code: "permission_denied" });
}

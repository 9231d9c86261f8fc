import { hash } from "node:crypto";
import { ParleyError } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { isSuggested } from "../home/suggested-subject.ts";
import type { InboundEventOf, Room } from "../platform/inbound-event.ts";
import { postFirst } from "../rooms/first-post.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { readWelcome } from "../rooms/welcome.ts";
import { eventCursor } from "../store/retention.ts";
import { conversationTexts } from "../texts/conversations.ts";
import { homeTexts } from "../texts/home.ts";
import { messageTexts } from "../texts/messages.ts";
import type { EventParts } from "./handler.ts";
import { handleMessage } from "./message.ts";

type Press = InboundEventOf<"press">;

const { suggested: texts } = homeTexts;

/**
 * Starts a conversation with a suggested request in the direct messages of the person. A post with the request
 * starts the thread of the conversation. The request is then handled like a message of the person in the thread.
 * Several presses of one button send the request once. Rejects with the gateway's refusal, and with `unavailable`
 * while the platform does not post.
 */
export async function startSuggested(
	parts: EventParts,
	event: Press,
	{ subject }: ControlTarget,
): Promise<Reply> {
	const { context, platform } = parts;
	const { person, room } = event;
	if (event.home !== true || room.kind !== "direct") return { text: messageTexts.oldButton };
	const { may, hint } = await context.whoami(person, room);
	if (!may.includes("session.write")) {
		throw new ParleyError(hint ?? conversationTexts.mayNotOpen, { code: "permission_denied" });
	}
	const id = `suggested:${room.tenant}:${person.id}:${subject}`;
	const key = hash("sha256", id, "base64url").slice(0, 22);
	const prompt = await context.choices.stored(`${key}/prompt`, () => suggestedNow(parts, event, subject));
	if (prompt === undefined) return { text: texts.changed };
	const words = plainLine(prompt, prompt.length + 1);
	const message = await postFirst(parts, {
		channel: room,
		card: `suggested:${key}`,
		cursor: `${eventCursor}${key}/suggested`,
		text: texts.beginning({ prompt: words }),
	});
	if (message === undefined) return { text: texts.notPosted };
	const thread = { ...room, thread: message };
	await handleMessage(parts, asMessage(event, { room: thread, message, text: prompt }), {
		id,
		key,
		// An earlier press may have sent the request.
		isRetry: true,
		settle: async () => undefined,
		following: () => [],
	});
	const url = platform.linkTo?.(thread);
	return { text: texts.started({ request: url === undefined ? words : `[${words}](${url})` }) };
}

/** Returns the request that a button sends, or undefined if the request is no longer suggested. */
async function suggestedNow(
	{ context }: EventParts,
	{ person, room }: Press,
	subject: string,
): Promise<string | undefined> {
	const welcome = await readWelcome(context, person, room);
	return welcome?.prompts.find((prompt) => isSuggested(subject, prompt));
}

function asMessage(
	{ person, at }: Press,
	written: { readonly room: Room; readonly message: string; readonly text: string },
): InboundEventOf<"message"> {
	const address = { us: true, others: false, everyone: false };
	return { type: "message", ...written, person, at, address, attachments: [], ourThread: true };
}

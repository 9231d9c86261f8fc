import type { Person, Room } from "../platform/inbound-event.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import { conversationTexts } from "../texts/conversations.ts";

/** Returns the answer to a command about the current conversation, for a room without a current conversation. */
export async function noneHere(
	context: RoomContext,
	{ person, room }: { readonly person: Person; readonly room: Room },
	command: string,
): Promise<string> {
	const below = await context.conversations(person, room);
	if (below.length === 0) return conversationTexts.none;
	return conversationTexts.below.inThread({ command: `!${command}` });
}

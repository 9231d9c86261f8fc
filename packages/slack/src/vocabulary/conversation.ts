import { defined, definedItems } from "@parley/base";
import type { Room } from "@parley/connector";
import { readMessageId } from "./message-id.ts";

/** What the outbox calls a room: `T1/C1` or, in a thread, `T1/C1/1700000000.000100`; read back by `placeOf`. */
export function conversationOf({ tenant, channel, thread }: Room): string {
	const ts = thread === undefined ? undefined : (readMessageId(thread)?.ts ?? thread);
	return definedItems([tenant, channel, ts]).join("/");
}

/** Where a conversation of the outbox is shown; what follows `#` is the kit's. */
export interface ConversationAddress {
	readonly tenant: string;
	readonly channel: string;
	/** The timestamp of the message that its thread began with. */
	readonly thread?: string;
}

/** Undefined for a conversation that is no room, such as that of a private answer. */
export function addressOfConversation(conversation: string): ConversationAddress | undefined {
	const [, tenant, channel, thread] = /^([^/#:]+)\/([^/#]+)(?:\/([^/#]+))?(?:#.*)?$/.exec(conversation) ?? [];
	if (tenant === undefined || channel === undefined) return undefined;
	return defined({ tenant, channel, thread });
}

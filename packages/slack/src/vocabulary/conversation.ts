import { defined, definedItems } from "@parley/base";
import type { Room } from "@parley/connector";
import { readMessageId } from "./message-id.ts";

/**
 * Returns the conversation of a room in the outbox: `T1/C1`, or `T1/C1/1700000000.000100` for a thread. `addressOfConversation`
 * parses it.
 */
export function conversationOf({ tenant, channel, thread }: Room): string {
	const ts = thread === undefined ? undefined : (readMessageId(thread)?.ts ?? thread);
	return definedItems([tenant, channel, ts]).join("/");
}

/** Channel or thread of a conversation in the outbox. The kit can append a suffix after `#`. */
export interface ConversationAddress {
	readonly tenant: string;
	readonly channel: string;
	/** Timestamp of the first message of the thread. */
	readonly thread?: string;
}

/**
 * Parses a conversation. Returns undefined for a conversation without a room, for example the conversation of a private answer.
 */
export function addressOfConversation(conversation: string): ConversationAddress | undefined {
	const [, tenant, channel, thread] = /^([^/#:]+)\/([^/#]+)(?:\/([^/#]+))?(?:#.*)?$/.exec(conversation) ?? [];
	if (tenant === undefined || channel === undefined) return undefined;
	return defined({ tenant, channel, thread });
}

import type { Room } from "@parley/connector";

/** Tenant of all direct messages with the bot. They belong to no guild. */
export const directTenant = "dm";

/**
 * Returns the URL of a channel or thread. For a message, append a slash and its id:
 * reference#message-formatting
 */
export function linkToRoom({ tenant, channel, thread }: Pick<Room, "tenant" | "channel" | "thread">): string {
	return `https://discord.com/channels/${tenant === directTenant ? "@me" : tenant}/${thread ?? channel}`;
}

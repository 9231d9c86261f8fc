import type { Room } from "@parley/connector";

/** Tenant of all direct messages with the bot: they belong to no guild. */
export const directTenant = "dm";

/** Address of a channel or thread. With the id of a message behind it, the address of the message: reference#message-formatting */
export function linkToRoom({ tenant, channel, thread }: Pick<Room, "tenant" | "channel" | "thread">): string {
	return `https://discord.com/channels/${tenant === directTenant ? "@me" : tenant}/${thread ?? channel}`;
}

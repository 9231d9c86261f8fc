import { oneLine } from "../conversation/tasks/plain.ts";
import type { ArrivalOf, Room } from "../platform/arrival.ts";
import type { Desk } from "./desk.ts";

type Parts = Pick<Desk, "gateway" | "platform">;

const mostReason = 500;

/**
 * Ends what channels are trusted with, because others than those they were trusted with may read them or write there;
 * nobody needs to have asked for that.
 */
export async function suspendTrust(
	parts: Parts,
	{ room, channels, change, gone }: ArrivalOf<"audience">,
	key: string,
): Promise<void> {
	const reason = gone ? change : `who may read or write here has changed: ${change}`;
	await endTrust(parts, room, { ...(channels !== undefined && { channels }), reason, key });
}

/** Ends what channels of a tenant are trusted with, that of the room unless told, whoever asks for it. */
export async function endTrust(
	{ gateway, platform }: Parts,
	room: Room,
	ending: Pick<ArrivalOf<"audience">, "channels"> & { readonly reason: string; readonly key: string },
): Promise<void> {
	const { channels = [room.channel], key } = ending;
	const tenant = `${platform.name}:${room.tenant}:`;
	const places = channels === "all" ? undefined : new Set(channels.map((channel) => `${tenant}${channel}`));
	const reason = oneLine(ending.reason, mostReason);
	const { grants } = await gateway.request("list_grants", {});
	for (const { grant_id, place } of grants) {
		const isMeant = places?.has(place) ?? place.startsWith(tenant);
		if (isMeant) await gateway.request("revoke_grant", { grant_id, reason, key: `${key}/${grant_id}` });
	}
}

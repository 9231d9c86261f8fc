import { defined } from "@parley/base";
import type { Requester } from "@parley/protocol";
import { oneLine } from "../conversation/vocabulary/plain.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEventOf, Room } from "../platform/inbound-event.ts";
import { trustTexts } from "../texts/trust.ts";

interface Parts {
	readonly gateway: Requester;
	readonly platform: ChatPlatform;
}

const maxReason = 500;

/**
 * Ends the trust grants of channels after the audience of these channels has changed, because each grant was for
 * the earlier audience.
 */
export async function suspendTrust(
	parts: Parts,
	{ room, channels, change, gone, uncertain }: InboundEventOf<"audience">,
	key: string,
): Promise<void> {
	const { audienceChanged, audienceUnknown } = trustTexts.ends;
	const reason = gone ? change : uncertain ? audienceUnknown({ change }) : audienceChanged({ change });
	await endTrust(parts, room, { ...defined({ channels }), reason, key });
}

/** Ends the grants of channels in a tenant, by default the grant of the room's channel. */
export async function endTrust(
	{ gateway, platform }: Parts,
	room: Room,
	ending: {
		readonly channels?: InboundEventOf<"audience">["channels"];
		readonly reason: string;
		readonly key: string;
	},
): Promise<void> {
	const { channels = [room.channel] } = ending;
	const tenant = `${platform.name}:${room.tenant}:`;
	const places = channels === "all" ? undefined : new Set(channels.map((channel) => `${tenant}${channel}`));
	await endGrants(gateway, (place) => places?.has(place) ?? place.startsWith(tenant), ending);
}

/** Ends the grants of matching channels (`PLATFORM:TENANT:CHANNEL`), and returns their number. */
export async function endGrants(
	gateway: Parts["gateway"],
	isAffected: (place: string) => boolean,
	{ reason, key }: { readonly reason: string; readonly key: string },
): Promise<number> {
	const { grants } = await gateway.request("list_grants", {});
	const affected = grants.filter(({ place }) => isAffected(place));
	for (const { grant_id } of affected) {
		await gateway.request("revoke_grant", {
			grant_id,
			reason: oneLine(reason, maxReason),
			key: `${key}/${grant_id}`,
		});
	}
	return affected.length;
}

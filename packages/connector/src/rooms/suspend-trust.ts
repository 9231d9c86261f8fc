import { oneLine } from "../conversation/tasks/plain.ts";
import type { Room } from "../platform/arrival.ts";
import type { Desk } from "./desk.ts";

/**
 * Ends what a channel is trusted with, because others than those it was trusted with may read it; nobody needs to have
 * asked for that. `change` says what happened, for people.
 */
export async function suspendTrust(
	{ gateway, platform }: Pick<Desk, "gateway" | "platform">,
	room: Room,
	change: string,
	key: string,
): Promise<void> {
	const place = `${platform.name}:${room.tenant}:${room.channel}`;
	const { grants } = await gateway.request("list_grants", {});
	// A channel has one at a time.
	const grant = grants.find((one) => one.place === place);
	if (!grant) return;
	const reason = oneLine(`others may read this channel now: ${change}`, 500);
	await gateway.request("revoke_grant", { grant_id: grant.grant_id, reason, key });
}

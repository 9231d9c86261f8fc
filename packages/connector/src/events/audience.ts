import type { ArrivalOf } from "../platform/inbound-event.ts";
import { suspendTrust } from "../rooms/suspend-trust.ts";
import type { ArrivalParts, Turn } from "./handler.ts";

/** Ends the trust of channels whose audience changed, and deletes the notes of a channel that was deleted. */
export async function handleAudience(
	{ desk }: ArrivalParts,
	event: ArrivalOf<"audience">,
	{ key }: Turn,
): Promise<void> {
	await suspendTrust(desk, event, key);
	if (!event.deleted) return;
	const { tenant, channel } = event.room;
	const name = `${desk.platform.name}:${tenant}:${channel}`;
	await desk.gateway.request("forget_memory", { channel: name, key: `${key}/notes` });
}

import type { Clock } from "@parley/base";
import { type ChatPlatform, Lookup, type Room } from "@parley/connector";
import { type PersonRightsParts, readPersonRights } from "./person-rights.ts";

/**
 * Milliseconds for which an answer is cached. A person who leaves a channel can see its work for at most this
 * time.
 */
const retentionMs = 60_000;
const maxEntries = 2000;

/**
 * Returns an implementation of `ChatPlatform.readable`. It resolves with the room of a channel that the person can
 * read according to Slack. It resolves with undefined for other channels, and for direct messages. It rejects if
 * Slack does not respond.
 */
export function readableRooms(
	parts: PersonRightsParts & { readonly clock: Clock },
): NonNullable<ChatPlatform["readable"]> {
	const known = new Lookup<Room | undefined>({ clock: parts.clock, max: maxEntries, retentionMs });
	return ({ id: user }, { tenant, channel }) =>
		known.find(`${channel} ${user}`, async () => {
			const rights = await readPersonRights(parts, {
				user,
				place: { tenant, channel, thread: undefined, shared: false },
			});
			if (rights?.present !== true) return undefined;
			const { kind } = await parts.channels.find(channel);
			return kind === "direct" ? undefined : { tenant, channel, shared: rights.shared, kind };
		});
}

import { type Clock, type Logger, ParleyError } from "@parley/base";
import type { ConversationState } from "../conversation/conversation.ts";
import type { Room } from "../platform/inbound-event.ts";
import { roomOf } from "../subscription/external-key.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** A room, and the newest messages of the room in one of its sessions on the gateway. */
export interface RoomProgress {
	readonly room: Room;
	/** Platform ids of the newest messages in the session; empty if the session was used long ago or cannot be read. */
	readonly messages: readonly string[];
	/** Last use of the session, in milliseconds since the epoch. */
	readonly usedAt: number;
}

interface Sessions {
	readonly ready: Subscriptions["ready"];
	known(): ReturnType<Subscriptions["known"]>;
	follow(
		id: string,
	): Promise<{ readonly state: { readonly answers: ConversationState["answers"] } } | undefined>;
}

/** Maximum time in milliseconds since the last use of a session. Messages of other sessions are not read. */
const recentMs = 24 * 3_600_000;

/**
 * Returns the progress of all known sessions in their rooms, one entry per session. Waits until the gateway has
 * listed the sessions. Rejects if the connector stops during this wait.
 */
export async function readRoomProgress(
	subscriptions: Sessions,
	{ clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<RoomProgress[]> {
	await subscriptions.ready;
	const rooms: RoomProgress[] = [];
	for (const { id, key, usedAt } of [...subscriptions.known()]) {
		const isRecent = clock.now() - usedAt < recentMs;
		const messages = isRecent ? await messagesOf(subscriptions, id, log) : [];
		rooms.push({ room: roomOf(key), messages, usedAt });
	}
	return rooms;
}

async function messagesOf(
	subscriptions: { readonly follow: Sessions["follow"] },
	session: string,
	log: Logger,
): Promise<string[]> {
	try {
		const { open = [], ended = [] } = (await subscriptions.follow(session))?.state.answers ?? {};
		return [...open, ...ended].flatMap(({ message = [] }) => message);
	} catch (error) {
		log.info("the newest messages of a session could not be read", {
			session,
			error: ParleyError.from(error),
		});
		return [];
	}
}

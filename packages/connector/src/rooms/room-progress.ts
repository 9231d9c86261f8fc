import { type Clock, type Logger, ParleyError } from "@parley/base";
import type { ConversationState } from "../conversation/conversation.ts";
import type { Room } from "../platform/inbound-event.ts";
import { roomOf } from "../subscription/external-key.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** A room that the gateway has a session of, and what it has heard there. */
export interface RoomProgress {
	readonly room: Room;
	/** The platform's ids of the newest messages that are in the session; none where it was used long ago. */
	readonly messages: readonly string[];
	/** When the session was last used, in milliseconds since the epoch. */
	readonly usedAt: number;
}

interface Sessions {
	readonly ready: Subscriptions["ready"];
	known(): ReturnType<Subscriptions["known"]>;
	follow(
		id: string,
	): Promise<{ readonly state: { readonly answers: ConversationState["answers"] } } | undefined>;
}

/** What was said longer ago nobody asks for any more. */
const recentMs = 24 * 3_600_000;

/**
 * How far the gateway has heard the rooms of its sessions, one for each session; resolves when the gateway has answered,
 * and rejects where the connector stops before.
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
		log.info("what a session has heard is not known", { session, error: ParleyError.from(error) });
		return [];
	}
}

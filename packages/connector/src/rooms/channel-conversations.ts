import { defined } from "@parley/base";
import type { MethodResult, Requester } from "@parley/protocol";
import { activeRun } from "../conversation/answers/runs.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { readSessionKey, type SessionKey } from "../subscription/external-key.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { Conversation } from "./handler-context.ts";
import { onBehalf } from "./on-behalf.ts";
import type { Rooms } from "./rooms.ts";

/** Maximum number of sessions to request from the gateway. */
const maxListed = 500;
/** Maximum number of conversations in the result. */
const maxChecked = 25;

interface Parts {
	readonly gateway: Requester;
	readonly rooms: Rooms;
	readonly platform: ChatPlatform;
	readonly subscriptions: { session(id: string): RoomSession | undefined };
}

/**
 * Returns up to `maxChecked` current conversations that the person may see in a channel and its threads, most
 * recently used first. If `room` is a thread, the list is empty. `working`: only conversations in which a run is
 * active or waits for a person. Rejects with `permission_denied` if the person has no access.
 */
export async function channelConversations(
	{ gateway, rooms, platform, subscriptions }: Parts,
	person: Person,
	room: Room,
	{ working = false }: { readonly working?: boolean } = {},
): Promise<readonly Conversation[]> {
	if (room.thread !== undefined) return [];
	const params = { limit: maxListed, ...onBehalf(person, room) };
	const { sessions } = await gateway.request("list_sessions", params);
	const found: Conversation[] = [];
	for (const session of sessions) {
		if (found.length >= maxChecked) break;
		const key = readSessionKey(session.external_key ?? "");
		if (key === undefined || !isBelow(key, platform.name, person, room)) continue;
		const one = conversationOf(session, key, room);
		if (working && !one.working) continue;
		const isShown = (await rooms.isCurrent(key)) && (await maySee(platform, person, one.room));
		if (isShown) found.push({ ...one, title: one.title || aboutOf(subscriptions.session(one.session)) });
	}
	return found;
}

/**
 * Returns the start of the message that the active run answers. Empty without an active run, or if the
 * session is not read.
 */
function aboutOf(read: RoomSession | undefined): string {
	return (read && activeRun(read.state.answers)?.about) ?? "";
}

type Listed = MethodResult<"list_sessions">["sessions"][number];

function conversationOf(session: Listed, { thread }: SessionKey, room: Room): Conversation {
	return {
		session: session.session_id,
		title: session.title,
		usedAt: Date.parse(session.updated_at),
		messages: session.message_count,
		current: thread === undefined,
		working: session.state !== "idle",
		room: { ...room, ...defined({ thread }) },
		...defined({ model: session.model }),
	};
}

async function maySee(platform: Parts["platform"], person: Person, room: Room): Promise<boolean> {
	const { thread } = room;
	return thread === undefined || ((await platform.maySee?.(person, { ...room, thread })) ?? true);
}

/** Whether a session is shared in the channel or one of its threads, or belongs to the person there. */
function isBelow(key: SessionKey, platform: string, { id }: Person, { tenant, channel }: Room): boolean {
	if (key.platform !== platform || key.tenant !== tenant || key.channel !== channel) return false;
	return key.person === undefined || key.person === id;
}

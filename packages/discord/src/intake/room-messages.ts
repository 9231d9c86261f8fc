import { type Clock, defined, ParleyError } from "@parley/base";
import type { ContextQuery, ReadContext } from "@parley/connector";
import * as z from "zod";
import type { DiscordRest, OwnAccount } from "../vocabulary/discord-port.ts";
import type { Audiences } from "./audiences.ts";
import { readBeside } from "./beside-messages.ts";
import type { Channels } from "./channels.ts";
import { readableText } from "./intake.ts";
import { maySeeThread } from "./thread-members.ts";
import { Member } from "./wire.ts";

/**
 * Maximum age in milliseconds of an event, up to which the roles in the event apply. For an older event, the
 * current roles are read from Discord.
 */
const rolesMs = 60_000;

export interface RoomMessagesParts {
	readonly self: OwnAccount;
	readonly port: DiscordRest;
	readonly channels: Channels;
	readonly audiences: Audiences;
	readonly clock: Clock;
}

/**
 * Returns the messages before the message of a request, if the author of the request can currently read the
 * channel's history. Rejects with `unavailable` if Discord refuses or does not respond.
 */
export async function readRoomMessages(
	parts: RoomMessagesParts,
	requested: ContextQuery,
	signal: AbortSignal,
): Promise<ReadContext> {
	const query = atStart(requested);
	const relation = query.room.thread === undefined ? "channel" : "thread";
	const limit = query.limits[relation];
	if (limit === 0) return { messages: [], hasOlder: false };
	const [isAllowed, page] = await Promise.all([mayRead(parts, query, signal), readPage(parts, query, limit)]);
	if (!isAllowed) return { messages: [], hasOlder: false, isRefused: true };
	const reading = { user: parts.self.user, text: readableText(parts.self.user, parts.channels) };
	const newest = page.slice(0, limit);
	return {
		messages: newest.flatMap((data) => readBeside(data, relation, reading) ?? []).toReversed(),
		hasOlder: page.length > newest.length,
	};
}

function atStart(query: ContextQuery): ContextQuery {
	const { room, before } = query;
	// A thread and the first message of the thread have the same id. This message is in the parent channel.
	if (room.thread === undefined || room.thread !== before) return query;
	const { thread: _, ...channel } = room;
	return { ...query, room: channel };
}

/**
 * Returns up to `limit` messages and an additional one, newest first. The additional message shows that there are
 * more than `limit` messages.
 */
async function readPage(
	{ port }: RoomMessagesParts,
	{ room, before }: ContextQuery,
	limit: number,
): Promise<unknown[]> {
	const channel = room.thread ?? room.channel;
	const { status, body } = await port.request({
		method: "GET",
		path: `/channels/${channel}/messages`,
		query: defined({ limit: String(limit + 1), before }),
	});
	const messages = status === 200 ? z.array(z.unknown()).safeParse(body).data : undefined;
	if (messages) return messages;
	const message = `cannot read the messages of channel ${channel}: Discord answered ${status}; if this continues, check that the bot has "Read Message History" in this channel`;
	throw new ParleyError(message, { code: "unavailable" });
}

async function mayRead(
	{ port, channels, audiences, clock }: RoomMessagesParts,
	{ room, person, at }: ContextQuery,
	signal: AbortSignal,
): Promise<boolean> {
	const { tenant: guild, channel, thread } = room;
	const path = `/guilds/${guild}/members/${person.id}`;
	const isFresh = clock.now() - at < rolesMs;
	const member = isFresh ? undefined : await port.request({ method: "GET", path });
	if (member?.status === 404) return false;
	const roles = member === undefined ? person.roles : Member.safeParse(member.body).data?.roles;
	if (roles === undefined) throw unanswered(guild);
	const inThread = thread !== undefined;
	const reader = { guild, channel, user: person.id, roles, inThread };
	const isAllowed = await audiences.mayReadHistory(reader, signal);
	if (isAllowed === undefined) throw unanswered(guild);
	if (!isAllowed || thread === undefined) return isAllowed;
	return maySeeThread({ port, channels }, { thread, user: person.id }, signal);
}

function unanswered(guild: string): ParleyError {
	const message = `Discord did not report the channels of server ${guild} that a person can read`;
	return new ParleyError(message, { code: "unavailable" });
}

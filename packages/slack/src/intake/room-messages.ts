import { type Clock, defined, ParleyError } from "@parley/base";
import type { ContextQuery, PersonRights, ReadContext, ReadMessage, Room } from "@parley/connector";
import * as z from "zod";
import { messageId, messageTime, readMessageId } from "../vocabulary/message-id.ts";
import type { OwnAccount, SlackApi } from "../vocabulary/slack-port.ts";
import { completeText, sharedFiles } from "./beside-text.ts";
import type { Channels } from "./channels.ts";
import type { Files } from "./files.ts";
import { isOwn, type Messages } from "./messages.ts";
import { type People, unknownPerson } from "./people.ts";
import { readPersonRights } from "./person-rights.ts";
import { readSlack } from "./read-slack.ts";
import type { Viewed } from "./viewed.ts";
import { Message, ts } from "./wire.ts";

/** Milliseconds after an event during which its author needs no access check. */
const rightsMs = 60_000;
/** Messages per page. https://docs.slack.dev/reference/methods/conversations.replies recommends at most 200. */
const perPage = 200;
/**
 * Periods before the message, in milliseconds. They are tried in this order in a long thread, because Slack returns
 * the oldest messages of a thread first.
 */
const windowsMs = [86_400_000, 3_600_000, 300_000];
/** Maximum linked messages to read for a message. */
const maxLinks = 3;
/** Maximum messages of the channel that the author of a direct message is viewing. */
const maxViewed = 20;
const maxAuthors = 20;

/** Subtypes of messages of people and apps: https://docs.slack.dev/reference/events/message#subtypes */
const written: ReadonlySet<string | undefined> = new Set([
	undefined,
	"bot_message",
	"file_share",
	"me_message",
	"thread_broadcast",
]);

const Page = z.object({
	messages: z.array(z.unknown()),
	has_more: z.boolean().nullish(),
});

export interface RoomMessagesParts {
	readonly self: OwnAccount;
	readonly port: SlackApi;
	readonly people: People;
	readonly channels: Channels;
	readonly messages: Messages;
	readonly files: Files;
	readonly viewed: Viewed;
	readonly clock: Clock;
}

/**
 * Resolves with the messages before a message, and the messages to which the message links. Includes only messages
 * that the author may currently read. For a direct message, also includes messages of the channel that the author is
 * viewing. Rejects with `unavailable` if Slack does not return the earlier messages or the author's access.
 */
export async function readRoomMessages(parts: RoomMessagesParts, query: ContextQuery): Promise<ReadContext> {
	const [linked, seen, isAllowed, page] = await Promise.all([
		readLinks(parts, query),
		readViewed(parts, query).catch(() => []),
		mayRead(parts, query),
		readEarlier(parts, query),
	]);
	const known = new Set(linked.map(({ channel, message }) => messageId(channel, message.ts)));
	const others = seen.filter(({ channel, message }) => !known.has(messageId(channel, message.ts)));
	// Messages of a viewed channel are untrusted like linked messages, because they are not part of the conversation.
	const links = await convert(parts, [...others, ...linked], "link");
	if (!isAllowed) return { messages: links, hasOlder: false, isRefused: true };
	const earlier = await convert(parts, page.messages, page.relation);
	return { messages: [...earlier, ...links], hasOlder: page.hasOlder };
}

interface Found {
	readonly channel: string;
	readonly message: Message;
}

interface Earlier {
	/** Messages, oldest first. */
	readonly messages: readonly Found[];
	readonly hasOlder: boolean;
	readonly relation: "thread" | "channel" | "reply";
}

const noMessages: Earlier = { messages: [], hasOlder: false, relation: "channel" };

async function readEarlier(
	parts: RoomMessagesParts,
	{ room, before, at, limits }: ContextQuery,
): Promise<Earlier> {
	const { channel, thread, kind } = room;
	if (kind === "direct") return noMessages;
	const latest = before === undefined ? undefined : readMessageId(before)?.ts;
	const root = thread === undefined ? undefined : readMessageId(thread)?.ts;
	// The messages before the first message of a thread are messages of the channel.
	if (root !== undefined && root !== latest) {
		return readThread(parts, { channel, root, latest, at, limit: limits.thread });
	}
	const limit = limits.channel;
	if (limit === 0) return noMessages;
	const args = { channel, limit: limit + 1, ...defined({ latest }) };
	const { messages } = await ask(parts.port, "conversations.history", args);
	const newest = messages.slice(0, limit).map((message) => ({ channel, message }));
	return { messages: newest.toReversed(), hasOlder: messages.length > limit, relation: "channel" };
}

interface Thread {
	readonly channel: string;
	readonly root: string;
	readonly latest: string | undefined;
	readonly at: number;
	readonly limit: number;
}

async function readThread(
	{ port }: RoomMessagesParts,
	{ channel, root, latest, at, limit }: Thread,
): Promise<Earlier> {
	// Even with a limit of 0, the first message is read, because the queried message replies to it.
	if (limit === 0) {
		const { messages } = await ask(port, "conversations.replies", { channel, ts: root, limit: 1 });
		const first = messages.filter((message) => message.ts === root).map((message) => ({ channel, message }));
		return { messages: first, hasOlder: false, relation: "reply" };
	}
	const args = { channel, ts: root, limit: perPage, ...defined({ latest }) };
	let read = await ask(port, "conversations.replies", args);
	let isShort = false;
	for (const window of windowsMs) {
		if (!read.hasMore) break;
		isShort = true;
		const oldest = ((at - window) / 1000).toFixed(6);
		const newer = await ask(port, "conversations.replies", { ...args, oldest });
		// Slack always includes the first message of a thread.
		if (newer.messages.length <= 1) break;
		read = newer;
	}
	const earlier = read.messages.filter((message) => latest === undefined || message.ts < latest);
	const newest = earlier.slice(-limit).map((message) => ({ channel, message }));
	return { messages: newest, hasOlder: isShort || earlier.length > limit, relation: "thread" };
}

interface Answer {
	readonly messages: readonly Message[];
	readonly hasMore: boolean;
}

async function ask(
	port: SlackApi,
	method: "conversations.history" | "conversations.replies",
	args: Readonly<Record<string, unknown>>,
): Promise<Answer> {
	const answer = await readSlack(port, { method, args });
	const page = "body" in answer ? Page.safeParse(answer.body).data : undefined;
	if (page === undefined) {
		const why = "refused" in answer ? answer.refused : "Slack's response is invalid";
		throw new ParleyError(`reading from Slack with ${method} failed: ${why}`, { code: "unavailable" });
	}
	const messages = page.messages.flatMap((message) => Message.safeParse(message).data ?? []);
	return { messages, hasMore: page.has_more === true };
}

async function mayRead(parts: RoomMessagesParts, { room, person, at }: ContextQuery): Promise<boolean> {
	if (parts.clock.now() - at < rightsMs) return true;
	return isReader(parts, room, person.id);
}

async function isReader(
	parts: RoomMessagesParts,
	{ tenant, channel, shared }: Room,
	user: string,
): Promise<boolean> {
	const place = { tenant, channel, thread: undefined, shared };
	const rights: PersonRights | undefined = await readPersonRights(parts, { user, place });
	if (rights) return rights.present;
	const message = `cannot check whether ${user} can read the channel ${channel}: its members could not be read`;
	throw new ParleyError(message, { code: "unavailable" });
}

/**
 * Reads the messages that `text` links to. A message of another channel is read only if the person can read that
 * channel.
 */
async function readLinks(
	parts: RoomMessagesParts,
	{ room, person, text }: ContextQuery,
): Promise<readonly Found[]> {
	const links = linksIn(text, parts.self.url).slice(0, maxLinks);
	const read = links.map(async (link) => {
		const { channel } = link;
		// A link to a direct message is read only if the link is in the same channel of direct messages.
		const isHere = channel === room.channel;
		if (!isHere && channel.startsWith("D")) return [];
		return isHere || (await isReader(parts, { ...room, channel }, person.id)) ? readLink(parts, link) : [];
	});
	// A link that cannot be read stays a link. The other messages are still read.
	return (await Promise.allSettled(read)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

/**
 * Returns messages of the viewed channel, oldest first. Returns none outside direct messages, or if the person
 * cannot read the viewed channel.
 */
async function readViewed(
	parts: RoomMessagesParts,
	{ room, person }: ContextQuery,
): Promise<readonly Found[]> {
	const channel = room.kind === "direct" ? parts.viewed.channelOf(person.id) : undefined;
	if (channel === undefined || channel.startsWith("D")) return [];
	if (!(await isReader(parts, { ...room, channel }, person.id))) return [];
	const { messages } = await ask(parts.port, "conversations.history", { channel, limit: maxViewed });
	return messages.toReversed().map((message) => ({ channel, message }));
}

async function readLink(
	{ port }: RoomMessagesParts,
	{ channel, message, thread = message }: Link,
): Promise<Found[]> {
	const args = { channel, ts: thread, oldest: message, latest: message, inclusive: true, limit: 2 };
	const { messages } = await ask(port, "conversations.replies", args);
	return messages.filter((one) => one.ts === message).map((one) => ({ channel, message: one }));
}

interface Link {
	readonly channel: string;
	readonly message: string;
	readonly thread: string | undefined;
}

/** Returns the links to messages of the workspace: https://docs.slack.dev/reference/methods/chat.getPermalink */
function linksIn(text: string, workspace: string): readonly Link[] {
	const host = URL.parse(workspace)?.host;
	return [...text.matchAll(/https:\/\/[^\s<>|)\]]+/g)].flatMap(([address]) => {
		const url = URL.parse(address);
		const [, channel, seconds, rest] =
			/^\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/.exec(url?.pathname ?? "") ?? [];
		if (url?.host !== host || channel === undefined) return [];
		const thread = ts.safeParse(url?.searchParams.get("thread_ts")).data;
		return [{ channel, message: `${seconds}.${rest}`, thread }];
	});
}

async function convert(
	parts: RoomMessagesParts,
	found: readonly Found[],
	relation: ReadMessage["relation"],
): Promise<ReadMessage[]> {
	const { self, people, messages, files } = parts;
	const shown = found.filter(({ message }) => written.has(message.subtype));
	const authors = new Set(shown.flatMap(({ message: { user, bot_id } }) => (user && !bot_id ? [user] : [])));
	const known = new Map(
		await Promise.all(
			[...authors]
				.toReversed()
				.slice(0, maxAuthors)
				.map(async (id) => [id, await people.find(id).catch(() => unknownPerson(id))] as const),
		),
	);
	const read = await Promise.all(
		shown.map(async ({ channel, message }): Promise<ReadMessage> => {
			const { user, bot_id: bot, username, bot_profile: profile, edited } = message;
			const app = { id: user ?? bot ?? "unknown", name: username ?? profile?.name ?? "" };
			const isPerson = user && !bot;
			return {
				id: messageId(channel, message.ts),
				relation,
				author: isPerson
					? (known.get(user) ?? unknownPerson(user))
					: { ...app, roles: [], guest: true, bot: true },
				ours: isOwn(message, self),
				at: messageTime(message.ts),
				text: await messages.text(completeText(message), false),
				attachments: await files.read(sharedFiles(message), true),
				...defined({ editedAt: edited ? messageTime(edited.ts) : undefined }),
			};
		}),
	);
	return read.filter(({ text, attachments }) => text !== "" || attachments.length > 0);
}

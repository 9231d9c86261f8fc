import type { ChannelRecord, MessageRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import { openConversation } from "../platform/rooms.ts";
import type { State } from "../platform/state.ts";
import { repliesTo } from "../platform/threads.ts";
import { channelShape } from "../shapes/channels.ts";
import { messageShape } from "../shapes/messages.ts";
import { demandScope, demandScopeThere, type Method, method, visibleChannel } from "./method.ts";

export const conversationMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/conversations.info
	method("conversations.info", { tier: 3 }, ({ state, args }) => {
		const channel = visibleChannel(state, args.channel);
		demandScopeThere(state, channel, "read");
		return { channel: channelShape(state, channel, args.include_num_members) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/conversations.members
	method("conversations.members", { tier: 4 }, ({ state, args }) => {
		const channel = visibleChannel(state, args.channel);
		demandScopeThere(state, channel, "read");
		const { page, next } = pageOf([...channel.members], args, 1000);
		return { members: page.map(({ id }) => id), response_metadata: { next_cursor: next } };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/conversations.open
	method("conversations.open", { tier: 3 }, ({ state, args }) => {
		if (args.channel !== undefined) return { channel: { id: visibleChannel(state, args.channel).id } };
		const people = (args.users ?? "")
			.split(",")
			.filter(Boolean)
			.map((id) => state.user(id.trim()));
		if (people.length === 0) throw new Refusal("users_list_not_supplied");
		demandScope(state, people.length > 1 ? "mpim:write" : "im:write");
		if (people.some(({ isBot }) => isBot)) throw new Refusal("cannot_dm_bot");
		const channel = openConversation(state, people);
		return { channel: args.return_im ? channelShape(state, channel) : { id: channel.id } };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/conversations.history
	method("conversations.history", { tier: 3 }, ({ state, args }) => {
		const channel = readableChannel(state, args.channel);
		const top = channel.messages.filter(
			(message) => isStored(message) && (message.threadTs === undefined || message.broadcast),
		);
		const newestFirst = inTime(top, args).toReversed();
		return readPage(state, newestFirst, args);
	}),
	// Documentation: https://docs.slack.dev/reference/methods/conversations.replies
	method("conversations.replies", { tier: 3 }, ({ state, args }) => {
		const channel = readableChannel(state, args.channel);
		const found = channel.messages.find((message) => message.ts === args.ts && isStored(message));
		if (!found) throw new Refusal("thread_not_found");
		// The list starts with the first message of the thread, regardless of the time of that message.
		const replies = found.threadTs === undefined ? inTime(repliesTo(found), args) : [];
		return readPage(state, [found, ...replies], args);
	}),
	// Documentation: https://docs.slack.dev/reference/methods/users.conversations
	method("users.conversations", { tier: 3 }, ({ state, args = {} }) => {
		const kinds = (args.types ?? "public_channel").split(",").map((type) => kindNamed(type.trim()));
		for (const [, scope] of kinds) demandScope(state, scope);
		const user = args.user === undefined ? state.app.user : state.user(args.user);
		const found = [...state.channels.values()].filter(
			({ kind, members, archived, deleted }) =>
				kinds.some(([requested]) => requested === kind) &&
				members.has(user) &&
				!deleted &&
				!(args.exclude_archived && archived),
		);
		const { page, next } = pageOf(found, args, 999);
		const channels = page.map((channel) => channelShape(state, channel));
		return { channels, response_metadata: { next_cursor: next } };
	}),
];

const kindsByName = {
	public_channel: ["channel", "channels:read"],
	private_channel: ["group", "groups:read"],
	mpim: ["mpim", "mpim:read"],
	im: ["im", "im:read"],
} as const;

function kindNamed(type: string): (typeof kindsByName)[keyof typeof kindsByName] {
	const found = Object.entries(kindsByName).find(([name]) => name === type)?.[1];
	if (!found) throw new Refusal("invalid_types");
	return found;
}

interface Paged {
	readonly limit?: number | undefined;
	readonly cursor?: string | undefined;
}

interface Timed extends Paged {
	readonly oldest?: string | undefined;
	readonly latest?: string | undefined;
	readonly inclusive?: boolean | undefined;
	readonly include_all_metadata?: boolean | undefined;
}

function readableChannel(state: State, id: string): ChannelRecord {
	const channel = visibleChannel(state, id);
	demandScopeThere(state, channel, "history");
	if (!channel.members.has(state.app.user)) throw new Refusal("not_in_channel");
	return channel;
}

function isStored({ deleted, tombstone, onlyFor }: MessageRecord): boolean {
	return (!deleted || tombstone) && !onlyFor;
}

function inTime(messages: readonly MessageRecord[], { oldest, latest, inclusive }: Timed): MessageRecord[] {
	const isEdge = (ts: string): boolean => ts === oldest || ts === latest;
	return messages.filter(({ ts }) => {
		if (isEdge(ts)) return inclusive === true;
		return (
			(oldest === undefined || Number(ts) > Number(oldest)) &&
			(latest === undefined || Number(ts) < Number(latest))
		);
	});
}

function readPage(state: State, messages: readonly MessageRecord[], args: Timed): Record<string, unknown> {
	// Commercial apps have a lower maximum:
	// https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
	const maximum = state.settings.app === "commercial" ? 15 : 999;
	const { page, next } = pageOf(messages, args, maximum);
	const metadata = args.include_all_metadata ?? false;
	return {
		messages: page.map((message) => messageShape(state, message, { metadata })),
		...{ has_more: next !== "", pin_count: 0 },
		...(next !== "" && { response_metadata: { next_cursor: next } }),
	};
}

/**
 * Returns one page of `items`. `next` is the cursor of the next page, or "":
 * https://docs.slack.dev/apis/web-api/pagination
 */
function pageOf<Item>(items: readonly Item[], { limit = 100, cursor = "" }: Paged, maximum: number) {
	const from = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64").toString().replace("next:", ""));
	if (!Number.isInteger(from)) throw new Refusal("invalid_cursor");
	const end = from + Math.min(limit, maximum);
	const next = end < items.length ? Buffer.from(`next:${end}`).toString("base64") : "";
	return { page: items.slice(from, end), next };
}

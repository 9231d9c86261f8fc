import type { MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { settleStream } from "../platform/stream-state.ts";
import { repliesTo } from "../platform/threads.ts";
import { fileShape, guardedFileShape } from "./files.ts";
import { botProfileShape } from "./people.ts";

/** Returns the shape of a message in a response: https://docs.slack.dev/reference/objects/message-object */
export function messageShape(
	state: State,
	message: MessageRecord,
	{ metadata = false } = {},
): Record<string, unknown> {
	if (message.deleted) return tombstoneShape(message);
	const { ts, author, text, blocks, edited, threadTs } = message;
	return {
		...{ type: "message", ts, text },
		...authorShape(message),
		...(blocks.length > 0 && { blocks }),
		...(message.files.length > 0 && { files: filesShape(state, message), upload: false }),
		...attachmentsOf(message),
		...subtypeOf(message),
		...(edited && { edited: { user: edited.user.id, ts: edited.ts } }),
		...(threadTs === undefined ? threadShape(message) : replyShape(message)),
		...(message.stream && { streaming_state: settleStream(state, message)?.state }),
		...(message.reactions.size > 0 && { reactions: reactionsShape(message) }),
		...(metadata && message.metadata && { metadata: message.metadata }),
		team: author.team.id,
	};
}

function authorShape({ author, subtype, username }: MessageRecord): Record<string, unknown> {
	if (subtype === "bot_message") return { bot_id: author.botId, username };
	const profile = botProfileShape(author);
	const bot = { bot_id: author.botId, app_id: author.appId, bot_profile: profile };
	return { user: author.id, ...(author.botId !== undefined && bot) };
}

function subtypeOf({ subtype, files, author, threadTs, broadcast }: MessageRecord): Record<string, unknown> {
	if (subtype !== undefined) return { subtype };
	if (threadTs !== undefined && broadcast) return { subtype: "thread_broadcast" };
	return files.length > 0 && !author.isBot ? { subtype: "file_share" } : {};
}

function filesShape(state: State, { files, channel }: MessageRecord): object[] {
	const foreign = channel.sharedWith.size > 0;
	return files.map((file) =>
		foreign && file.owner.team !== state.team ? guardedFileShape(file) : fileShape(state, file),
	);
}

function attachmentsOf({ attachments, previews }: MessageRecord): Record<string, unknown> {
	const all = [...attachments, ...previews.map(previewShape)];
	return all.length === 0 ? {} : { attachments: all.map((one, index) => ({ id: index + 1, ...one })) };
}

/** Returns the attachment for a forwarded message. Slack's documentation shows no example of such an attachment. */
export function forwardShape(state: State, message: MessageRecord): object {
	const { ts, author, text, blocks, channel, files } = message;
	const { name } = author;
	const from = `https://${author.team.domain}.slack.com/archives/${channel.id}/p${ts.replace(".", "")}`;
	return {
		...{ is_msg_unfurl: true, is_share: true, ts, from_url: from, color: "D0D0D0" },
		...{ author_id: author.id, author_name: name, author_subname: name },
		...{
			channel_id: channel.id,
			channel_team: author.team.id,
			mrkdwn_in: ["text"],
			footer: "Slack Conversation",
		},
		...{ fallback: `${name}: ${text}`, text },
		...(blocks.length > 0 && {
			message_blocks: [{ team: author.team.id, channel: channel.id, ts, message: { blocks } }],
		}),
		...(files.length > 0 && { files: filesShape(state, message) }),
	};
}

function previewShape({ url, title }: MessageRecord["previews"][number]): object {
	return { original_url: url, from_url: url, title, title_link: url, fallback: title };
}

function threadShape(message: MessageRecord): Record<string, unknown> {
	const replies = repliesTo(message);
	const latest = replies.at(-1);
	if (!latest) return {};
	const users = [...new Set(replies.map(({ author }) => author.id))];
	return {
		...{ thread_ts: message.ts, reply_count: replies.length, latest_reply: latest.ts },
		...{ reply_users: users, reply_users_count: users.length, is_locked: false, subscribed: false },
	};
}

function replyShape({ threadTs, channel }: MessageRecord): Record<string, unknown> {
	const root = channel.messages.find(({ ts }) => ts === threadTs);
	return { thread_ts: threadTs, ...(root && { parent_user_id: root.author.id }) };
}

function reactionsShape({ reactions }: MessageRecord): object[] {
	return [...reactions].map(([name, users]) => ({
		...{ name, users: [...users].map(({ id }) => id), count: users.size },
	}));
}

function tombstoneShape(message: MessageRecord): Record<string, unknown> {
	const text = "This message was deleted.";
	const head = {
		type: "message",
		subtype: "tombstone",
		text,
		user: "USLACKBOT",
		hidden: true,
		ts: message.ts,
	};
	return { ...head, ...threadShape(message) };
}

import { readContents } from "../blocks/contents.ts";
import { addMessage, announce, changeMessage, removeMessage, threadOf } from "../platform/messages.ts";
import type { MessageRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { settleStream } from "../platform/stream-state.ts";
import { messageShape } from "../shapes/messages.ts";
import { urlOf } from "../shapes/people.ts";
import { demandScope, joinedChannel, type Method, method, visibleChannel } from "./method.ts";

export const chatMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/chat.postMessage
	method("chat.postMessage", { tier: "post", scope: "chat:write" }, ({ state, args }) => {
		if (args.username ?? args.icon_emoji ?? args.icon_url) demandScope(state, "chat:write.customize");
		const channel = joinedChannel(state, args.channel);
		const contents = readContents(state, args);
		const threadTs = args.thread_ts === undefined ? undefined : threadOf(state, channel, args.thread_ts);
		const message = addMessage(state, {
			...{ author: state.app.user, channel, ...contents, broadcast: args.reply_broadcast ?? false },
			...(threadTs !== undefined && { threadTs }),
			...(args.username !== undefined && { username: args.username }),
		});
		announce(state, message);
		return { channel: channel.id, ts: message.ts, message: messageShape(state, message, { metadata: true }) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.postEphemeral
	method("chat.postEphemeral", { tier: 4, scope: "chat:write" }, ({ state, args }) => {
		const channel = joinedChannel(state, args.channel);
		const onlyFor = state.users.get(args.user);
		if (!onlyFor || !channel.members.has(onlyFor)) throw new Refusal("user_not_in_channel");
		const contents = readContents(state, args);
		const threadTs = args.thread_ts === undefined ? undefined : threadOf(state, channel, args.thread_ts);
		const message = addMessage(state, {
			...{ author: state.app.user, channel, ...contents, onlyFor },
			...(threadTs !== undefined && { threadTs }),
		});
		return { message_ts: message.ts };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.update
	method("chat.update", { tier: 3, scope: "chat:write" }, ({ state, args }) => {
		const channel = visibleChannel(state, args.channel);
		const message = ownMessage(state, state.message(channel, args.ts), "cant_update_message");
		if (channel.archived) throw new Refusal("is_inactive");
		const stream = settleStream(state, message);
		if (stream?.state === "in_progress") throw new Refusal("streaming_state_conflict");
		const { text, ...contents } = readContents(state, args);
		// Slack documents: "If the text argument is provided and blocks are not, the blocks will be removed".
		// Clients show "edited" only in this case.
		const isEdit = args.text !== undefined && contents.blocks === undefined;
		const change = {
			...(args.text !== undefined && { text }),
			...(isEdit && { blocks: [] }),
			...(args.reply_broadcast === true && { broadcast: true }),
		};
		if (stream) stream.isFinished = true;
		changeMessage(state, message, { ...change, ...contents }, { by: state.app.user, isEdit });
		return { channel: channel.id, ts: message.ts, text: message.text, message: messageShape(state, message) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.delete
	method("chat.delete", { tier: 3, scope: "chat:write" }, ({ state, args }) => {
		const channel = visibleChannel(state, args.channel);
		removeMessage(state, ownMessage(state, state.message(channel, args.ts), "cant_delete_message"));
		return { channel: channel.id, ts: args.ts };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.getPermalink
	method("chat.getPermalink", { tier: 4 }, ({ state, args }) => {
		const channel = visibleChannel(state, args.channel);
		const message = state.message(channel, args.message_ts);
		return { channel: channel.id, permalink: permalinkOf(state, message) };
	}),
];

function ownMessage({ app }: State, message: MessageRecord, error: string): MessageRecord {
	if (message.author !== app.user) throw new Refusal(error);
	return message;
}

function permalinkOf({ team }: State, { channel, ts, threadTs }: MessageRecord): string {
	const link = `${urlOf(team)}archives/${channel.id}/p${ts.replace(".", "")}`;
	return threadTs === undefined ? link : `${link}?thread_ts=${threadTs}&cid=${channel.id}`;
}

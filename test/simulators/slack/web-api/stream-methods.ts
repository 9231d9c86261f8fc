import { blockLimits } from "../blocks/block-limits.ts";
import { checkBlocks, checkMetadata, violated } from "../blocks/contents.ts";
import { addMessage, announce, threadOf } from "../platform/messages.ts";
import type { ChannelRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import { isSessionStatus, setSession } from "../platform/sessions.ts";
import type { State } from "../platform/state.ts";
import { chunksOf, grow, growMessage, runningStream } from "../platform/streams.ts";
import { messageShape } from "../shapes/messages.ts";
import { demandScope, joinedChannel, type Method, method } from "./method.ts";
import type { ChatMethods } from "./method-arguments.ts";

type Start = ChatMethods["chat.startStream"];

/** Methods of growing messages: https://docs.slack.dev/messaging/sending-and-scheduling-messages#text-streaming */
export const streamMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/chat.startStream. A stream may start without content, as
	// the streamer of @slack/web-api does.
	method("chat.startStream", { tier: 2, scope: "chat:write" }, ({ state, args }) => {
		if (args.username ?? args.icon_emoji ?? args.icon_url) demandScope(state, "chat:write.customize");
		const channel = joinedChannel(state, args.channel);
		const threadTs = threadOf(state, channel, args.thread_ts);
		demandRecipient(state, channel, args);
		const mode = modeOf(state, args);
		const { text, blocks } = grow(state, { text: "", blocks: [] }, chunksOf(state, args), mode);
		const message = addMessage(state, {
			...{ author: state.app.user, channel, text, blocks, threadTs },
			...(args.username !== undefined && { username: args.username }),
			stream: { mode, startedAt: state.now(), state: "in_progress", isFinished: false },
		});
		announce(state, message);
		if (state.app.agent) setSession(state, { channel, threadTs }, { status: "processing" });
		return { channel: channel.id, ts: message.ts };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.appendStream
	method("chat.appendStream", { tier: 4, scope: "chat:write" }, ({ state, args }) => {
		const message = state.message(joinedChannel(state, args.channel), args.ts);
		runningStream(state, message);
		const chunks = chunksOf(state, args);
		// Slack documents: "Either markdown_text or chunks is required."
		if (chunks.length === 0) throw new Refusal("no_text");
		growMessage(state, message, { chunks, cause: "append" });
		return { channel: args.channel, ts: message.ts };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/chat.stopStream
	method("chat.stopStream", { tier: 2, scope: "chat:write" }, ({ state, args }) => {
		const message = state.message(joinedChannel(state, args.channel), args.ts);
		runningStream(state, message);
		const { blocks = [], metadata, session_status: status } = args;
		checkBlocks(state, blocks, blockLimits.blocksOfMessage);
		if (metadata) checkMetadata(state, metadata);
		if (status !== undefined && !isSessionStatus(status)) throw new Refusal("invalid_status");
		growMessage(state, message, { chunks: chunksOf(state, args), cause: "stop", blocks, metadata });
		const { channel, threadTs } = message;
		if (status !== undefined && threadTs !== undefined && state.app.agent) {
			setSession(state, { channel, threadTs }, { status });
		}
		const shape = messageShape(state, message, { metadata: true });
		return { channel: channel.id, ts: message.ts, message: shape };
	}),
];

/**
 * Throws if the recipient's user or team is missing outside of direct messages, or if the user is not a member of the
 * team. The types of @slack/web-api state: "This is required when starting a streaming conversation outside of a DM".
 */
function demandRecipient(
	state: State,
	{ kind }: ChannelRecord,
	{ recipient_user_id: userId, recipient_team_id: teamId }: Start,
): void {
	if (kind !== "im" && userId === undefined) throw violated(state, "missing_recipient_user_id");
	if (kind !== "im" && teamId === undefined) throw violated(state, "missing_recipient_team_id");
	const user = userId === undefined ? undefined : state.user(userId);
	if (user && teamId !== undefined && user.team.id !== teamId) throw violated(state, "team_not_found");
}

function modeOf(state: State, { task_display_mode: mode = "timeline" }: Start): "timeline" | "plan" {
	if (mode === "timeline" || mode === "plan") return mode;
	state.violations.push(`task_display_mode ${mode} is not known: use timeline or plan`);
	throw new Refusal("invalid_arguments");
}

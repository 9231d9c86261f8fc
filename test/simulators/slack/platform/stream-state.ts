import type { MessageRecord, StreamRecord } from "./records.ts";
import type { State } from "./state.ts";

/**
 * Returns the stream of a message. After `streamMs`, the state of the stream becomes `errored`, because Slack ends a
 * stream after some minutes (slackapi/node-slack-sdk #2702).
 */
export function settleStream(state: State, { stream }: MessageRecord): StreamRecord | undefined {
	const isLate = stream !== undefined && state.now() - stream.startedAt >= state.settings.streamMs;
	if (isLate && stream.state === "in_progress") stream.state = "errored";
	return stream;
}

/**
 * Returns stream messages without a final text: messages that still grow, and messages whose stream Slack has ended.
 */
export function unfinishedStreams(state: State): MessageRecord[] {
	const messages = [...state.channels.values()].flatMap((channel) => channel.messages);
	return messages.filter((message) => {
		const stream = settleStream(state, message);
		return stream !== undefined && !stream.isFinished && !message.deleted;
	});
}

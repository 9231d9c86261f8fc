import { messageId } from "./message-id.ts";
import type { ChannelRecord, MessageRecord, StatusRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";
import { settleStream } from "./stream-state.ts";

const subscription = "agent_session_stopped";

/** Sets the status of the app in one thread: https://docs.slack.dev/ai/agent-sessions */
export function setStatus(
	state: State,
	where: { readonly channel: ChannelRecord; readonly threadTs: string },
	status: string,
	until?: number,
): void {
	const { channel, threadTs } = where;
	const key = messageId({ channel, ts: threadTs });
	const record: StatusRecord = { channel, threadTs, status, at: state.now() };
	state.statuses.set(key, until === undefined ? record : { ...record, until });
}

/**
 * Presses the Stop button of an active session as a user. The app must then end the status itself:
 * https://docs.slack.dev/reference/events/agent_session_stopped
 */
export function stopSession(
	state: State,
	by: UserRecord,
	{ channel, threadTs }: { readonly channel: ChannelRecord; readonly threadTs: string },
): void {
	const shown = state.statuses.get(messageId({ channel, ts: threadTs }));
	const isAtWork = shown !== undefined && shown.status !== "" && shown.until === undefined;
	// Without the subscription to this event, clients show an icon instead of a button.
	if (!isAtWork || !state.app.subscriptions.has(subscription)) throw new Refusal("no_stop_button");
	const event = {
		...{ type: subscription, channel: channel.id, user: by.id, thread_ts: threadTs },
		streaming_message_ts: streamingIn(state, channel, threadTs),
		event_ts: state.stamps.create(),
	};
	sendEvents(state, { subscription, channel, event });
}

function streamingIn(state: State, channel: ChannelRecord, threadTs: string): string[] {
	const here = channel.messages.filter((message) => message.threadTs === threadTs && !message.deleted);
	return here.filter((one) => settleStream(state, one)?.state === "in_progress").map(({ ts }) => ts);
}

/**
 * Clears a status after a reply. Slack documents: "Cleared when the app sends a reply",
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
export function clearStatus(state: State, { channel, threadTs }: MessageRecord): void {
	if (threadTs === undefined) return;
	const known = state.statuses.get(messageId({ channel, ts: threadTs }));
	// The status of a session has no end time. It stays until the app ends it.
	if (known?.until !== undefined) state.statuses.delete(messageId({ channel, ts: threadTs }));
}

export function statusesNow(state: State, channel: ChannelRecord): StatusRecord[] {
	const now = state.now();
	return [...state.statuses.values()].filter(
		(one) => one.channel === channel && one.status !== "" && (one.until === undefined || one.until > now),
	);
}

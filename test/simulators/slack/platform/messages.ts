import type { AnyBlock, MessageMetadata } from "@slack/types";
import type { StateCause } from "../../chat/post-states.ts";
import { appMentionShape, changedShape, deletedShape, messageEventShape } from "../shapes/message-events.ts";
import { notePings } from "./pings.ts";
import type { ChannelRecord, FileRecord, InteractionRecord, MessageRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { type AppEvent, messageEvent, sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";
import { clearStatus } from "./statuses.ts";
import { repliesTo, rootOf } from "./threads.ts";

export interface Making {
	readonly author: UserRecord;
	readonly channel: ChannelRecord;
	readonly text: string;
	readonly blocks?: readonly AnyBlock[];
	readonly files?: readonly FileRecord[];
	readonly attachments?: readonly object[];
	readonly threadTs?: string;
	readonly broadcast?: boolean;
	readonly metadata?: MessageMetadata;
	readonly onlyFor?: UserRecord;
	readonly answers?: InteractionRecord;
	readonly subtype?: string;
	readonly username?: string;
	readonly stream?: MessageRecord["stream"];
}

/** Adds a message without checking permissions, and without sending events. */
export function addMessage(state: State, making: Making): MessageRecord {
	const { channel, author, threadTs, onlyFor, text, blocks = [] } = making;
	const createdAt = state.now();
	const message: MessageRecord = {
		...{ ts: state.stamps.create(), channel, author, createdAt, text, blocks },
		...{ previews: [], files: making.files ?? [], states: [{ at: createdAt, by: "create", text, blocks }] },
		attachments: making.attachments ?? [],
		...{ broadcast: making.broadcast ?? false, changes: 0, deleted: false, tombstone: false },
		reactions: new Map(),
		...(threadTs !== undefined && { threadTs }),
		...(making.metadata && { metadata: making.metadata }),
		...(making.subtype !== undefined && { subtype: making.subtype }),
		...(making.username !== undefined && { username: making.username }),
		...(making.stream && { stream: making.stream }),
		...(onlyFor && { onlyFor }),
		...(making.answers && { answers: making.answers }),
	};
	channel.messages.push(message);
	for (const file of message.files) file.shares.push(message);
	making.answers?.answers.push(message);
	if (!onlyFor) {
		notePings(state, message, "create");
		if (author === state.app.user) clearStatus(state, message);
	}
	return message;
}

/** Returns the timestamp. Throws unless it is the timestamp of a top-level message that can have replies. */
export function threadOf(state: State, channel: ChannelRecord, ts: string): string {
	const root = channel.messages.find((message) => message.ts === ts);
	if (!root || root.onlyFor || (root.deleted && !root.tombstone)) throw new Refusal("thread_not_found");
	if (root.threadTs !== undefined) {
		// Slack documents: "Avoid using a reply's ts value; use its parent's value instead."
		state.violations.push(`thread_ts ${ts} is of a reply: the thread is ${root.threadTs}`);
		throw new Refusal("cannot_reply_to_message");
	}
	return ts;
}

/** Emits an event about a message, and a mention event if the message mentions the app. Skips ephemeral messages. */
export function announce(state: State, message: MessageRecord): void {
	if (message.onlyFor) return;
	const { channel } = message;
	const event: AppEvent = {
		...{ subscription: messageEvent(channel), channel },
		event: messageEventShape(state, message),
	};
	sendEvents(state, event, ...mentionOf(state, message));
}

function mentionOf(state: State, message: MessageRecord): AppEvent[] {
	const { user } = state.app;
	const isCalled = message.author !== user && message.text.includes(`<@${user.id}>`);
	// Direct messages have no mention events: https://docs.slack.dev/reference/events/app_mention
	if (!isCalled || message.channel.kind === "im" || message.subtype === "channel_join") return [];
	const { files, attachments, ...bare } = appMentionShape(state, message);
	// The documentation shows no files in this event. An app that also receives message events must not rely on them.
	const attached = {
		...(files !== undefined && { files }),
		...(attachments !== undefined && { attachments }),
	};
	const isBare = Object.keys(attached).length === 0 || state.chance() < 0.5;
	const event = isBare ? bare : { ...bare, ...attached };
	return [{ subscription: "app_mention", channel: message.channel, event }];
}

export interface Change {
	readonly text?: string;
	readonly blocks?: readonly AnyBlock[];
	readonly files?: readonly FileRecord[];
	readonly metadata?: MessageMetadata;
	readonly broadcast?: boolean;
	readonly previews?: MessageRecord["previews"];
}

export interface Changing {
	readonly by: UserRecord;
	/** Whether clients show the note "edited". */
	readonly isEdit: boolean;
	readonly cause?: StateCause;
}

/** Changes a message: https://docs.slack.dev/reference/events/message/message_changed */
export function changeMessage(
	state: State,
	message: MessageRecord,
	change: Change,
	{ by, isEdit, cause = "edit" }: Changing,
): void {
	const before = messageEventShape(state, message);
	Object.assign(message, change);
	if (change.text !== undefined || change.blocks) addState(state, message, cause);
	message.changes += 1;
	if (isEdit) message.edited = { user: by, ts: state.stamps.create() };
	if (message.onlyFor) return;
	if (change.text !== undefined || change.blocks) notePings(state, message, "edit");
	const { channel } = message;
	const changed = {
		subscription: messageEvent(channel),
		channel,
		event: changedShape(state, message, before),
	};
	// An edit of a message that mentions the app causes another mention event.
	sendEvents(state, changed, ...(isEdit ? mentionOf(state, message) : []));
}

function addState(state: State, message: MessageRecord, by: StateCause): void {
	message.states.push({ at: state.now(), by, text: message.text, blocks: message.blocks });
}

/**
 * Deletes a message. A message with replies leaves a placeholder:
 * https://docs.slack.dev/reference/events/message/message_deleted
 */
export function removeMessage(state: State, message: MessageRecord): void {
	const { channel } = message;
	const before = messageEventShape(state, message);
	message.deleted = true;
	addState(state, message, "delete");
	if (message.onlyFor) return;
	const isGap = rootOf(message) === message && repliesTo(message).length > 0;
	message.tombstone = isGap;
	const event = isGap ? changedShape(state, message, before) : deletedShape(state, message, before);
	sendEvents(state, { subscription: messageEvent(channel), channel, event });
}

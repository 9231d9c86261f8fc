import type { PostState } from "../../chat/post-states.ts";
import type { ShownControl, ShownMessage } from "../../chat/shown.ts";
import { blockTexts } from "../blocks/block-text.ts";
import { controlsOf, isButton, labelOf, optionsOf, type SeenControl } from "../blocks/controls.ts";
import { messageId } from "../platform/message-id.ts";
import type { HomeRecord, MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { settleStream } from "../platform/stream-state.ts";
import { repliesTo } from "../platform/threads.ts";
import { emojiOf } from "./emoji.ts";
import { readAloud } from "./read-aloud.ts";

/**
 * State of a message as a user sees it. The id is `CHANNEL-TS`, and the content is the text of the
 * notification.
 */
export interface Shown extends ShownMessage {
	readonly ts: string;
	/** Number of changes, including changes without the note "edited". */
	readonly changes: number;
	/** Whether the message is a stream that still grows. */
	readonly streaming: boolean;
	readonly replies: number;
	/** Timestamp of the thread's first message, if this message is a reply. */
	readonly threadTs?: string;
}

function controlOf({ element }: SeenControl): ShownControl {
	// Slack has no disabled controls.
	const { type, url } = element;
	if (isButton(type)) {
		const head = { label: labelOf(element), disabled: false } as const;
		return typeof url === "string" ? { kind: "link", url, ...head } : { kind: "button", ...head };
	}
	const chosen = [element["initial_option"], ...[element["initial_options"]].flat()]
		.map(labelOf)
		.filter(Boolean);
	const options = optionsOf(element).map(labelOf);
	return { kind: "choice", label: labelOf(element["placeholder"]), disabled: false, options, chosen };
}

/** Whether the viewer sees the message. Without a viewer, whether all members of the channel see it. */
export function isSeen(message: MessageRecord, viewer?: { readonly id: string }): boolean {
	if (message.deleted && !message.tombstone) return false;
	return !message.onlyFor || message.onlyFor.id === viewer?.id;
}

export function show(state: State, message: MessageRecord): Shown {
	const { text, blocks, threadTs, previews, attachments } = message;
	const controls = message.tombstone ? [] : controlsOf(blocks).map(controlOf);
	const read = message.tombstone ? "This message was deleted." : textOf(message);
	return {
		...{ id: messageId(message), ts: message.ts, author: message.username ?? message.author.name },
		text: readAloud(
			state,
			[read, ...attachments.map(attachedText), ...previews.map(({ title }) => title)]
				.filter(Boolean)
				.join("\n"),
		),
		content: text,
		buttons: controls.filter(({ kind }) => kind === "button").map(({ label }) => label),
		controls,
		attachments: message.files.map(({ title }) => title),
		...{ edited: message.edited !== undefined, changes: message.changes },
		ephemeral: message.onlyFor !== undefined,
		reactions: Object.fromEntries([...message.reactions].map(([name, users]) => [emojiOf(name), users.size])),
		streaming: settleStream(state, message)?.state === "in_progress",
		replies: repliesTo(message).length,
		...(threadTs !== undefined && { threadTs }),
	};
}

function attachedText(attachment: object): string {
	const { author_name: author, title, text, fallback }: Partial<Record<string, unknown>> = { ...attachment };
	return [author, title, text ?? fallback].filter((part) => typeof part === "string").join("\n");
}

function textOf({ text, blocks }: MessageRecord): string {
	// A message without blocks shows its own text.
	return blocks.length === 0 ? text : blockTexts(blocks).join("\n");
}

export interface ShownHome {
	readonly text: string;
	readonly buttons: readonly string[];
	readonly controls: readonly ShownControl[];
}

export function showHome(state: State, { view: { blocks } }: HomeRecord): ShownHome {
	const controls = controlsOf(blocks).map(controlOf);
	const buttons = controls.filter(({ kind }) => kind === "button").map(({ label }) => label);
	return { text: readAloud(state, blockTexts(blocks).join("\n")), buttons, controls };
}

export function statesOf(state: State, message: MessageRecord): PostState[] {
	return message.states.map(({ at, by, text, blocks }) => ({
		...{ at, by, text: show(state, { ...message, tombstone: false, text, blocks }).text },
	}));
}

import { ComponentType, MessageFlags, MessageType } from "discord-api-types/v10";
import type { PostState } from "../../chat/post-states.ts";
import type { ShownControl, ShownMessage } from "../../chat/shown.ts";
import { textsOf } from "../platform/mentions.ts";
import type { MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { readAloud } from "./read-aloud.ts";

export interface Shown extends ShownMessage {
	/** Whether this is a "thinking…" placeholder. */
	readonly thinking: boolean;
	readonly repliesTo?: { readonly id: string; readonly author: string };
	readonly thread?: string;
	/** Accent colors of the message's containers, from 0 to 0xffffff. */
	readonly accents: readonly number[];
}

/** A component with the optional fields of all component kinds. */
export interface SeenComponent {
	readonly type: number;
	readonly id?: number;
	readonly style?: number;
	readonly label?: string;
	readonly custom_id?: string;
	readonly disabled?: boolean;
	readonly emoji?: { readonly name?: string | null };
	readonly url?: string;
	readonly placeholder?: string;
	readonly min_values?: number;
	readonly max_values?: number;
	readonly accent_color?: number | null;
	readonly options?: readonly {
		readonly label: string;
		readonly value: string;
		readonly default?: boolean;
	}[];
	readonly components?: readonly SeenComponent[];
	readonly accessory?: SeenComponent;
}

export function componentsOf({ components }: Pick<MessageRecord, "components">): SeenComponent[] {
	const inside = (component: SeenComponent): SeenComponent[] => [
		component,
		...[...(component.components ?? []), ...(component.accessory ? [component.accessory] : [])].flatMap(
			inside,
		),
	];
	// The cast is safe because every component has a type, and the code checks all other fields.
	return (components as readonly SeenComponent[]).flatMap(inside);
}

function controlOf(component: SeenComponent): ShownControl[] {
	const { type, label = "", disabled = false, url, options, placeholder = "" } = component;
	if (type === ComponentType.Button) {
		return [url === undefined ? { kind: "button", label, disabled } : { kind: "link", label, disabled, url }];
	}
	if (!options) return [];
	const chosen = options.filter((option) => option.default).map((option) => option.label);
	return [
		{ kind: "choice", label: placeholder, disabled, options: options.map((option) => option.label), chosen },
	];
}

/** Message types that the simulated clients do not show. */
const silentTypes: ReadonlySet<MessageType> = new Set([
	MessageType.ThreadStarterMessage,
	MessageType.ChannelNameChange,
]);

/** Whether the viewer sees the message. Without a viewer, whether all members who see the channel see it. */
export function isSeen(message: MessageRecord, viewer?: { readonly id: string }): boolean {
	const hidden = message.deleted || silentTypes.has(message.type);
	return !hidden && (!message.onlyFor || message.onlyFor.id === viewer?.id);
}

export function show(state: State, message: MessageRecord): Shown {
	const { channel, content } = message;
	const controls = componentsOf(message).flatMap(controlOf);
	const embeds = message.embeds.flatMap(({ title, description, url }) => [
		title ?? url ?? "",
		description ?? "",
	]);
	const forwarded = message.snapshot ? ["(forwarded)", show(state, message.snapshot).text] : [];
	const text = [...forwarded, content, ...embeds, ...textsOf(message.components)]
		.filter((part) => part !== "")
		.join("\n");
	const answered =
		message.snapshot === undefined && channel.messages.find(({ id }) => id === message.reference?.messageId);
	const thread = channel.thread ? undefined : state.channels.get(message.id);
	const pressable = controls.filter(({ kind, disabled }) => kind === "button" && !disabled);
	return {
		id: message.id,
		author: nameOf(message),
		text: readAloud(state, channel, text),
		content,
		buttons: pressable.map(({ label }) => label),
		controls,
		attachments: message.attachments.map(({ name }) => name),
		edited: message.editedAt !== null,
		accents: componentsOf(message).flatMap(({ accent_color: accent }) => accent ?? []),
		ephemeral: message.onlyFor !== undefined,
		thinking: (message.flags & MessageFlags.Loading) !== 0,
		reactions: Object.fromEntries([...message.reactions].map(([emoji, users]) => [emoji, users.size])),
		...(answered && { repliesTo: { id: answered.id, author: nameOf(answered) } }),
		...(thread && { thread: thread.name }),
	};
}

export function statesOf(state: State, message: MessageRecord): PostState[] {
	return message.states.map(({ at, by, ...content }) => ({
		...{ at, by, text: show(state, { ...message, ...content }).text },
	}));
}

function nameOf({ author, channel }: MessageRecord): string {
	return channel.guild?.members.get(author.id)?.nick ?? author.name;
}

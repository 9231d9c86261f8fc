import type {
	APIApplicationCommand,
	APIEmbed,
	APIMessageTopLevelComponent,
	APIModalInteractionResponseCallbackData,
	ApplicationCommandOptionType,
	ChannelType,
	InteractionType,
	MessageType,
} from "discord-api-types/v10";
import type { StateCause } from "../../chat/post-states.ts";

export interface UserRecord {
	readonly id: string;
	readonly username: string;
	readonly name: string;
	readonly bot: boolean;
	/**
	 * Whether the app may send direct messages to the user. If false, they fail with error 50007:
	 * https://discord.com/developers/docs/topics/opcodes-and-status-codes
	 */
	acceptsDirect: boolean;
}

export interface RoleRecord {
	readonly id: string;
	name: string;
	permissions: bigint;
	position: number;
	readonly mentionable: boolean;
	readonly botId?: string;
}

export interface MemberRecord {
	readonly user: UserRecord;
	/** Ids of the member's roles, without `@everyone`. */
	readonly roles: Set<string>;
	nick: string | null;
	readonly joinedAt: number;
	/**
	 * Whether the member is a guest (IS_GUEST):
	 * https://discord.com/developers/docs/resources/guild#guild-member-object-guild-member-flags
	 */
	readonly guest: boolean;
	/** End of a timeout in milliseconds since the epoch, or 0 without a timeout. */
	silentUntil: number;
}

export interface Overwrite {
	readonly id: string;
	readonly type: "role" | "member";
	allow: bigint;
	deny: bigint;
}

export interface GuildRecord {
	readonly id: string;
	readonly name: string;
	ownerId: string;
	readonly joinedAt: number;
	systemChannelId?: string;
	readonly roles: Map<string, RoleRecord>;
	readonly members: Map<string, MemberRecord>;
}

export interface ThreadRecord {
	readonly ownerId: string;
	archived: boolean;
	archivedAt: number;
	locked: boolean;
	/** Minutes without activity after which the thread is archived: 60, 1440, 4320 or 10080. */
	archiveAfter: number;
	readonly createdAt: number;
	/** Times at which the app renamed the thread. */
	readonly renamedAt: number[];
	lastActive: number;
	/** Ids of members, with the times at which they joined. */
	readonly members: Map<string, number>;
}

export interface ChannelRecord {
	readonly id: string;
	readonly type: ChannelType;
	readonly guild?: GuildRecord;
	readonly parent?: ChannelRecord;
	readonly thread?: ThreadRecord;
	/** Participants of direct messages, without the app. */
	readonly recipients: readonly UserRecord[];
	name: string;
	topic: string | null;
	readonly position: number;
	readonly overwrites: Map<string, Overwrite>;
	/** Messages in order, including ephemeral and deleted messages. */
	readonly messages: MessageRecord[];
	/**
	 * Time at which each user's typing indicator ends:
	 * https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
	 */
	readonly typing: Map<string, number>;
	deleted: boolean;
}

export interface AttachmentRecord {
	readonly id: string;
	readonly channelId: string;
	readonly name: string;
	readonly type: string;
	readonly bytes: Uint8Array;
	readonly description?: string;
	readonly ephemeral: boolean;
}

export interface Mentions {
	readonly users: readonly UserRecord[];
	readonly roles: readonly string[];
	readonly everyone: boolean;
}

export interface MessageState extends Pick<MessageRecord, "content" | "embeds" | "components"> {
	readonly at: number;
	readonly by: StateCause;
}

export interface MessageRecord {
	readonly id: string;
	readonly type: MessageType;
	readonly channel: ChannelRecord;
	readonly author: UserRecord;
	readonly webhookId?: string;
	readonly createdAt: number;
	readonly nonce?: string | number;
	/**
	 * The message that this message replies to or forwards. In a thread that was opened from a message, the first
	 * message refers to that message.
	 */
	readonly reference?: { readonly channelId: string; readonly messageId: string };
	readonly interaction?: InteractionRecord;
	content: string;
	embeds: readonly APIEmbed[];
	components: readonly APIMessageTopLevelComponent[];
	/** The content after the creation and after each edit or deletion, oldest first. */
	readonly states: MessageState[];
	/** Snapshot of a forwarded message: https://discord.com/developers/docs/resources/message#message-snapshot-object */
	readonly snapshot?: MessageRecord;
	attachments: readonly AttachmentRecord[];
	mentions: Mentions;
	flags: number;
	editedAt: number | null;
	deleted: boolean;
	/** Ids of users by emoji, in the order in which the emoji were added. */
	readonly reactions: Map<string, Set<string>>;
	/** The only user, besides the app, who sees the message. */
	readonly onlyFor?: UserRecord;
}

export type CommandRecord = APIApplicationCommand;

export interface CommandOptionValue {
	readonly name: string;
	readonly type: ApplicationCommandOptionType;
	readonly value?: string | number | boolean;
	readonly focused?: boolean;
	readonly options?: readonly CommandOptionValue[];
}

export type InteractionState =
	| "waiting"
	/** The app has sent a deferred response and has not replaced its placeholder yet. */
	| "thinking"
	/** The app has acknowledged the action without a visible change. */
	| "acknowledged"
	| "answered"
	/** No response arrived in time: "This interaction failed", "The application did not respond". */
	| "failed";

export interface InteractionRecord {
	readonly id: string;
	readonly token: string;
	readonly type: InteractionType;
	readonly user: UserRecord;
	readonly channel: ChannelRecord;
	readonly createdAt: number;
	readonly data: object;
	/**
	 * Message with the pressed component, also for a form that the press opened. The message may have changed
	 * since the press.
	 */
	readonly message?: MessageRecord;
	/** Components at the time of the press. Present only if the message has changed since the press. */
	readonly pressedOn?: MessageRecord["components"];
	readonly trigger?: InteractionRecord;
	state: InteractionState;
	/** Whether only the user sees the response. */
	ephemeral: boolean;
	/** Message that `@original` names: the first response, or the pressed message if the app updates that message. */
	original?: MessageRecord;
	readonly followUps: MessageRecord[];
	modal?: APIModalInteractionResponseCallbackData;
	choices?: readonly { readonly name: string; readonly value: string | number }[];
}

/** A mention that would have sent notifications. */
export interface Ping {
	readonly messageId: string;
	readonly who: string;
	readonly by: "create" | "edit";
	/** Text of the message at the time of the mention. */
	readonly text: string;
}

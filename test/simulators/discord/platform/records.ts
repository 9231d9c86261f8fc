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
	/** Name as people see it. */
	readonly name: string;
	readonly bot: boolean;
	/**
	 * True if the app may send them direct messages: https://discord.com/developers/docs/topics/opcodes-and-status-codes
	 * 50007.
	 */
	acceptsDirect: boolean;
}

export interface RoleRecord {
	readonly id: string;
	name: string;
	permissions: bigint;
	position: number;
	readonly mentionable: boolean;
	/** The bot of a managed role. */
	readonly botId?: string;
}

export interface MemberRecord {
	readonly user: UserRecord;
	/** Role ids without `@everyone`. */
	readonly roles: Set<string>;
	nick: string | null;
	readonly joinedAt: number;
	/** True for members whose invite is for a visit: flag IS_GUEST. */
	readonly guest: boolean;
	/** End of a timeout in milliseconds since the epoch. 0 for none. */
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
	/** Channel of Discord's notices, if the guild has one. */
	systemChannelId?: string;
	readonly roles: Map<string, RoleRecord>;
	readonly members: Map<string, MemberRecord>;
}

export interface ThreadRecord {
	readonly ownerId: string;
	archived: boolean;
	archivedAt: number;
	locked: boolean;
	/** Minutes: 60, 1440, 4320 or 10080. */
	archiveAfter: number;
	readonly createdAt: number;
	/** Times at which the app changed its name. */
	readonly renamedAt: number[];
	lastActive: number;
	/** Ids of members, with the time of their join. */
	readonly members: Map<string, number>;
}

export interface ChannelRecord {
	readonly id: string;
	readonly type: ChannelType;
	readonly guild?: GuildRecord;
	/** Channel of a thread. */
	readonly parent?: ChannelRecord;
	readonly thread?: ThreadRecord;
	/** Members of direct messages. */
	readonly recipients: readonly UserRecord[];
	name: string;
	topic: string | null;
	readonly position: number;
	readonly overwrites: Map<string, Overwrite>;
	/** Messages in order, including ephemeral and deleted ones. */
	readonly messages: MessageRecord[];
	/**
	 * End of each user's typing indicator: https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
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

/** Users and roles that a message mentions. */
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
	/** The message that it replies to, or the first message of its thread. */
	readonly reference?: { readonly channelId: string; readonly messageId: string };
	/** Interaction that the message answers. */
	readonly interaction?: InteractionRecord;
	content: string;
	embeds: readonly APIEmbed[];
	components: readonly APIMessageTopLevelComponent[];
	/** The content after each change, oldest first; the last one is the present content. */
	readonly states: MessageState[];
	/** A forwarded message, as it was then: https://discord.com/developers/docs/resources/message#message-snapshot-object */
	readonly snapshot?: MessageRecord;
	attachments: readonly AttachmentRecord[];
	mentions: Mentions;
	flags: number;
	editedAt: number | null;
	deleted: boolean;
	/** Ids of users by emoji, in the order of the first reactions. */
	readonly reactions: Map<string, Set<string>>;
	/** The only person who sees it, besides the app. */
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
	/** No response yet. */
	| "waiting"
	/** "Thinking…": a message will follow. */
	| "thinking"
	/** Acknowledged without a visible change. */
	| "acknowledged"
	| "answered"
	/** Three seconds have passed: "This interaction failed", "The application did not respond". */
	| "failed";

export interface InteractionRecord {
	readonly id: string;
	readonly token: string;
	readonly type: InteractionType;
	readonly user: UserRecord;
	readonly channel: ChannelRecord;
	readonly createdAt: number;
	/** The `data` as sent. */
	readonly data: object;
	/** Message with the pressed component, now or at the time of the press. */
	readonly message?: MessageRecord;
	/** Components at the time of a press, if the message has changed since then. */
	readonly pressedOn?: MessageRecord["components"];
	/** The interaction that opened a form. */
	readonly trigger?: InteractionRecord;
	state: InteractionState;
	/** True if only the person sees the response. */
	ephemeral: boolean;
	/** The first response. For a press that changes its message, that message. */
	original?: MessageRecord;
	readonly followUps: MessageRecord[];
	modal?: APIModalInteractionResponseCallbackData;
	choices?: readonly { readonly name: string; readonly value: string | number }[];
}

/** A user who would have been notified by a mention. */
export interface Ping {
	readonly messageId: string;
	readonly who: string;
	readonly by: "create" | "edit";
	/** Text of the message at that time. */
	readonly text: string;
}

import type { AnyBlock, MessageMetadata, ModalView } from "@slack/types";
import type { StateCause } from "../../chat/post-states.ts";

export interface TeamRecord {
	readonly id: string;
	readonly name: string;
	/** Of `https://acme.slack.com/`. */
	readonly domain: string;
	readonly enterpriseId?: string;
}

export interface UserRecord {
	readonly id: string;
	/** Handle after `@`. */
	readonly handle: string;
	/** As people see it. */
	name: string;
	readonly team: TeamRecord;
	readonly isBot: boolean;
	/** Bot id (`B…`) in messages of a bot. */
	readonly botId?: string;
	/** App of a bot. */
	readonly appId?: string;
	/** A guest of several channels: https://slack.com/help/articles/202518103 */
	isRestricted: boolean;
	/** A guest of one channel. */
	isUltraRestricted: boolean;
	isAdmin: boolean;
	isOwner: boolean;
	deleted: boolean;
	readonly locale: string;
}

export type ChannelKind = "channel" | "group" | "im" | "mpim";

export interface ChannelRecord {
	readonly id: string;
	/** `channel`: public; `group`: private. */
	readonly kind: ChannelKind;
	name: string;
	readonly createdAt: number;
	readonly creator: UserRecord;
	readonly members: Set<UserRecord>;
	/** In order. Also the ephemeral ones, and those that were deleted. */
	readonly messages: MessageRecord[];
	topic: string;
	archived: boolean;
	deleted: boolean;
	/** Other teams that are in it: https://docs.slack.dev/apis/slack-connect */
	readonly sharedWith: Set<TeamRecord>;
	/** Other teams that were invited. */
	readonly sharePending: Set<TeamRecord>;
}

export interface FileRecord {
	readonly id: string;
	readonly name: string;
	title: string;
	readonly type: string;
	readonly createdAt: number;
	readonly owner: UserRecord;
	/** Undefined until it is uploaded. */
	bytes?: Uint8Array;
	/** Announced size. */
	readonly size: number;
	readonly altText?: string;
	/** Whether the upload was completed. */
	complete: boolean;
	deleted: boolean;
	/** Messages that share the file. */
	readonly shares: MessageRecord[];
}

/** Message content as a client shows it. */
export interface Version {
	readonly text: string;
	readonly blocks: readonly AnyBlock[];
}

/** Content of a message after a change. */
export interface MessageState extends Version {
	readonly at: number;
	readonly by: StateCause;
}

/** A message that grows: https://docs.slack.dev/reference/methods/chat.startStream */
export interface StreamRecord {
	/** `timeline`: a card for each task. `plan`: one block with all tasks. */
	readonly mode: "timeline" | "plan";
	readonly startedAt: number;
	/** `errored`: it lasted too long. The words are those of `streaming_state` in @slack/types. */
	state: "in_progress" | "completed" | "errored";
	/** Whether the app ended it, or gave the message its final text otherwise. */
	isFinished: boolean;
}

export interface MessageRecord {
	readonly ts: string;
	readonly channel: ChannelRecord;
	readonly author: UserRecord;
	readonly createdAt: number;
	/** `bot_message`, `channel_join`, … */
	readonly subtype?: string;
	/** The name above it where it is not the author's. */
	readonly username?: string;
	/** In mrkdwn, with entities. */
	text: string;
	blocks: readonly AnyBlock[];
	/** The content after each change, oldest first; the last one is the present content. */
	readonly states: MessageState[];
	readonly stream?: StreamRecord;
	/** As an app has written them, or Slack where a message was forwarded: https://docs.slack.dev/reference/objects/message-object */
	readonly attachments: readonly object[];
	/** Link previews. */
	previews: readonly { readonly url: string; readonly title: string }[];
	files: readonly FileRecord[];
	/** Timestamp of the first message of its thread. The first message itself has none. */
	readonly threadTs?: string;
	/** Shown in the channel, too. */
	broadcast: boolean;
	/** The author of the edit, and when. */
	edited?: { readonly user: UserRecord; readonly ts: string };
	/** Edited without anybody reading so. */
	changes: number;
	deleted: boolean;
	/** Deleted, but its thread is still there. */
	tombstone: boolean;
	metadata?: MessageMetadata;
	/** By the name of the emoji, in the order in which they came. */
	readonly reactions: Map<string, Set<UserRecord>>;
	/** The only one who sees it besides the app. */
	readonly onlyFor?: UserRecord;
	/** Interaction that it answers, by a response URL or an acknowledgement. */
	readonly answers?: InteractionRecord;
}

export interface ViewRecord {
	readonly id: string;
	readonly user: UserRecord;
	/** The interaction that opened it. */
	readonly opener: InteractionRecord;
	/** Undefined when no person sees it. */
	view?: ModalView;
	hash: string;
	errors: Readonly<Record<string, string>>;
}

/** State of a press, a command, a form or a shortcut. */
export type InteractionState =
	/** No acknowledgement yet. */
	| "waiting"
	| "acknowledged"
	/** Three seconds passed, or no app was connected: people see a warning. */
	| "failed";

export interface InteractionRecord {
	readonly id: string;
	readonly kind: "command" | "press" | "form" | "shortcut";
	readonly user: UserRecord;
	/** Undefined of a global shortcut and of a form. */
	readonly channel?: ChannelRecord;
	/** The thread where it was done. */
	readonly threadTs?: string;
	/** Message with the pressed element, or the message of a shortcut. */
	readonly message?: MessageRecord;
	/** Version of the message at the time of the press, if it differs. */
	readonly pressedOn?: Version;
	/** View of a form or of an element in one. */
	readonly view?: ViewRecord;
	readonly createdAt: number;
	readonly triggerId: string;
	triggerUsed: boolean;
	/** Undefined of a form. */
	readonly responseUrl?: string;
	responses: number;
	state: InteractionState;
	/** The view that it opened. */
	opened?: ViewRecord;
	/** Messages that answered it. */
	readonly answers: MessageRecord[];
	/** Whether the app accepted the form. */
	closed: boolean;
}

/** Status of the app in a thread: https://docs.slack.dev/ai/agent-sessions */
export interface StatusRecord {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
	/** Status text. Empty: no status. */
	status: string;
	at: number;
	/** When it goes away by itself. */
	until?: number;
}

export type SessionStatus = "active" | "processing" | "suspended" | "closed";

/** Work of the app in a thread: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
export interface SessionRecord {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
	status: SessionStatus;
	title: string;
}

/** Texts that people send by pressing a title. */
export interface PromptsRecord {
	readonly title: string;
	readonly prompts: readonly { readonly title: string; readonly message: string }[];
}

/** A user who would have been notified by a mention. */
export interface Ping {
	/** `CHANNEL-TS`. */
	readonly messageId: string;
	readonly who: string;
	readonly by: "create" | "edit";
}
